// @ts-check
// Answers questions of the computer players, hints and reviews, in a worker of its own.
import { startPython } from "./start_python.js";

const starting = startPython().then((python) => python.pyimport("pond_hw.engine.worker").answer_line);

self.onmessage = ({ data }) => {
  starting.then((answerLine) => self.postMessage(answerLine(data))).catch(reportError); // the game worker hears of it
};
