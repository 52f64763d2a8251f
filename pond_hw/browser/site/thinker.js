// @ts-check
// Answers questions of the computer players, hints and reviews, in a worker of its own.
import { startPython } from "./start_python.js";

const starting = startPython().then((python) => python.pyimport("pond_hw.engine.worker").answer_line);

self.onmessage = async ({ data }) => {
  const answerLine = await starting;
  self.postMessage(answerLine(data));
};
