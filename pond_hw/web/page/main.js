// @ts-check
import { HealthView } from "./health.js";
import { Lamps } from "./lamps.js";
import { LinkCard } from "./link.js";
import { Live } from "./live.js";
import { startPage } from "./page.js";
import { Seats } from "./seats.js";

startPage({
  Live,
  addParts: ({ game, send }) => [new HealthView(game, send), new Lamps(game, send), new Seats(game, send), new LinkCard(game, send)],
});
