// Runs MicroPython with our firmware in an emulated RP2040 and prints what happened, as JSON.
// node emulator.mjs FOLDER-OF-RP2040JS BOOTROM.ts MICROPYTHON.uf2-or-.bin FILES.uf2-or-.img [LAMPS DATA-GPIO BUTTON-GPIO]
// Without lamps it stops after the board's first line.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { crc32 } from "node:zlib";

const [library, rom, firmware, image, lamps, dataGpio, buttonGpio] = process.argv.slice(2);
const { Simulator, USBCDC } = await import(pathToFileURL(join(library, "dist/esm/index.js")).href);
const CYCLE_NS = 1e9 / 125e6;
const FILES_AT = 0xa0000;

const simulator = new Simulator();
const { rp2040: chip, clock } = simulator;
chip.logger = { debug() {}, info() {}, warn() {}, error() {} };
const words = readFileSync(rom, "utf8").match(/0x[0-9a-f]{8}\b/g).map(Number);
chip.loadBootrom(new Uint32Array(words));
function flash(file, address) { // as the drive of a Pico does
  const data = readFileSync(file);
  if (data.readUInt32LE(0) !== 0x0a324655) chip.flash.set(data, address);
  else for (let at = 0; at < data.length; at += 512) {
    const payload = data.subarray(at + 32, at + 32 + data.readUInt32LE(at + 16));
    chip.flash.set(payload, data.readUInt32LE(at + 12) - 0x10000000);
  }
}
flash(firmware, 0);
flash(image, FILES_AT);

chip.core.PC = 0x10000000; // second boot stage, at the beginning of the file
let restarts = 0;
chip.peripherals[0x40058].onWatchdogTrigger = () => restarts++;
for (const pin of chip.gpio) pin.setInputValue(true); // the emulator has no pull-ups

// --- the cable
const cdc = new USBCDC(chip.usbCtrl); // uses the last of several ports, which is the game's
const usb = chip.usbCtrl;
const PROMPT = 2; // data endpoint of MicroPython's own port
const unsent = { [PROMPT]: [] }; // bytes for each endpoint; a real computer sends no empty packets
const waiting = {}; // size of each read that waits for bytes
usb.onEndpointRead = (endpoint, size) => { waiting[endpoint] = size; };
const update = usb.DPRAMUpdated.bind(usb);
usb.DPRAMUpdated = (offset, value) => { // rp2040js 1.4.1 sends the second of two buffers first
  const { buffers } = usb.endpointWriteAlarms[(offset - 0x80) >> 3] ?? { buffers: [] };
  const before = buffers.length;
  update(offset, value);
  if (buffers.length === before + 2) buffers.push(...buffers.splice(before, 2).reverse());
};
const enumerate = usb.onEndpointWrite;
let prompt = ""; // text on MicroPython's own port
usb.onEndpointWrite = (endpoint, data) => {
  if (endpoint === PROMPT) prompt += String.fromCharCode(...data);
  else enumerate(endpoint, data);
};
const lines = []; // [nanoseconds, body] of each undamaged line
let heard = "", bytesOut = 0, bytesIn = 0, damaged = 0;
cdc.onSerialData = (data) => {
  bytesIn += data.length;
  heard += String.fromCharCode(...data);
  const parts = heard.split("\n");
  heard = parts.pop();
  for (const part of parts) {
    const line = part.replace(/\r$/, "");
    const cut = line.lastIndexOf(" ");
    const body = line.slice(0, cut);
    if (cut > 0 && hex(crc32(body)) === line.slice(cut + 1)) lines.push([clock.nanos, body]);
    else damaged++;
  }
};
const hex = (value) => value.toString(16).padStart(8, "0");
const say = (body) => (unsent[cdc.outEndpoint] ??= []).push(...Buffer.from(`${body} ${hex(crc32(body))}\n`));
const type = (text) => unsent[PROMPT].push(...Buffer.from(text));
const feed = () => {
  for (const [endpoint, bytes] of Object.entries(unsent)) {
    if (!bytes.length || !waiting[endpoint]) continue;
    const packet = bytes.splice(0, waiting[endpoint]);
    delete waiting[endpoint];
    bytesOut += packet.length;
    usb.endpointReadDone(Number(endpoint), Uint8Array.from(packet));
  }
};

// --- the state machine that drives the lamps. rp2040js runs it beside the clock, and without its divider
const pio = chip.pio[0];
const [machine] = pio.machines;
pio.run = () => {};
let pioAt = 0;
function runPio() {
  if (pio.stopped) pioAt = clock.nanos;
  const cycleNs = (machine.clockDivInt + machine.clockDivFrac / 256) * CYCLE_NS;
  while (pioAt < clock.nanos) {
    const before = machine.cycles;
    machine.step();
    pio.checkChangedPins();
    pioAt += Math.max(1, machine.cycles - before) * cycleNs;
  }
}

// --- the lamps' wire: lengths of the high pulses, split at low levels above 50 us
const bursts = [];
let rose = 0, fell = -1e9;
chip.gpio[Number(dataGpio ?? 0)].addListener((state) => {
  if (state === 1) {
    if (pioAt - fell > 50000) bursts.push({ at: pioAt, highs: [], lows: [] });
    else bursts.at(-1)?.lows.push(pioAt - fell);
    rose = pioAt;
  } else if (state === 0 && rose) {
    bursts.at(-1)?.highs.push(pioAt - rose);
    if (bursts.length) bursts.at(-1).end = pioAt;
    fell = pioAt;
  }
});
const decode = ({ highs }) => {
  const bytes = [];
  for (let at = 0; at + 8 <= highs.length; at += 8) {
    bytes.push(highs.slice(at, at + 8).reduce((value, high) => value * 2 + (high > 580 ? 1 : 0), 0));
  }
  return bytes;
};

// --- time
const begun = process.hrtime.bigint();
function run(seconds, until = () => false) {
  const end = clock.nanos + seconds * 1e9;
  while (clock.nanos < end) {
    for (let step = 0; step < 500; step++) {
      if (chip.core.waiting) clock.tick(Math.min(clock.nanosToNextAlarm || 1000, 1e4));
      else clock.tick(chip.core.executeInstruction() * CYCLE_NS);
      runPio();
    }
    feed();
    if (until()) return true;
  }
  return false;
}
const ms = (nanos) => Math.round(nanos / 1e4) / 100;
const waitLine = (start, seconds = 3) => {
  const from = lines.length;
  let found;
  run(seconds, () => (found = lines.slice(from).find(([, body]) => body.startsWith(start))));
  return found;
};

const result = {};
run(12, () => lines.some(([, body]) => body.startsWith("hello")));
say("hello 5"); // the first one may have been sent before the cable was ready
const hello = waitLine("hello", 5);
result.hello = hello?.[1];
result.boot_ms = hello && ms(hello[0]);
if (!lamps) {
  console.log(JSON.stringify({ ...result, declared_ma: 2 * cdc.descriptors[8] }));
  process.exit(0);
}

// frame in, pulses out
run(0.05);
const frame = Buffer.from(Array.from({ length: 3 * Number(lamps) }, (_, index) => (index * 37) % 23));
result.frames = [];
for (let round = 0; round < 3; round++) {
  bursts.length = 0;
  const sent = clock.nanos;
  say(`frame 0 ${frame.toString("base64")}`);
  const state = waitLine("state");
  run(0.02);
  const burst = bursts.at(-1);
  if (!burst) break;
  const highs = [...burst.highs];
  result.frames.push({
    right: Buffer.from(decode(burst)).equals(frame), bits: highs.length,
    short: [Math.min(...highs.filter((high) => high < 580)), Math.max(...highs.filter((high) => high < 580))],
    long: [Math.min(...highs.filter((high) => high >= 580)), Math.max(...highs.filter((high) => high >= 580))],
    low: [Math.min(...burst.lows), Math.max(...burst.lows)],
    sent_to_last_bit_ms: ms(burst.end - sent), sent_to_answer_ms: ms(state[0] - sent), answer: state[1],
  });
}

// a press
result.presses = [];
for (let round = 0; round < 4; round++) {
  const down = round % 2 === 0;
  say("ping 0");
  waitLine("state");
  run(0.013 + round * 0.0037);
  const at = clock.nanos;
  chip.gpio[Number(buttonGpio)].setInputValue(!down);
  const line = waitLine(down ? "press" : "release", 1);
  result.presses.push({ line: line?.[1], ms: line && ms(line[0] - at) });
}

// frames per second
const [outBefore, before] = [bytesOut, clock.nanos];
let count = 0;
while (clock.nanos - before < 1e9) {
  frame[0] = count % 20;
  say(`frame 99 ${frame.toString("base64")}`);
  if (!waitLine("state", 1)) break;
  count++;
}
result.frames_a_second = Math.round(count / ((clock.nanos - before) / 1e9));
result.bytes_a_second = Math.round((bytesOut - outBefore) / ((clock.nanos - before) / 1e9));

// silence
run(0.02);
bursts.length = 0;
const silent = clock.nanos;
run(2.6, () => bursts.length > 0);
run(0.02);
result.dark_after_ms = bursts.length ? ms(bursts[0].at - silent) : null;
result.dark = bursts.length > 0 && decode(bursts.at(-1)).every((byte) => byte === 0) && bursts.at(-1).highs.length === 24 * Number(lamps);
say("ping 99");
result.after_dark = waitLine("state")?.[1];

// Ctrl-C on the first port: the lamps go dark and the prompt stays
say(`frame 99 ${Buffer.alloc(3 * Number(lamps), 7).toString("base64")}`);
waitLine("state");
run(0.02);
bursts.length = 0;
type("\r\x03");
run(0.5);
type("\x03");
run(6);
type("print('six', 2 * 3)\r");
result.prompt_answers = run(2, () => prompt.includes("six 6"));
result.dark_at_prompt = bursts.length > 0 && decode(bursts.at(-1)).every((byte) => byte === 0);
result.prompt = prompt;
result.declared_ma = 2 * cdc.descriptors[8];
result.interfaces = cdc.descriptors[4];
result.memory = lines.filter(([, body]) => body.startsWith("memory")).map(([, body]) => body.split(" ").slice(1).map(Number));
result.damaged = damaged;
result.watchdog = restarts;
result.simulated_s = Math.round(clock.nanos / 1e7) / 100;
result.wall_s = Math.round(Number(process.hrtime.bigint() - begun) / 1e7) / 100;
console.log(JSON.stringify(result, null, 1));
process.exit(0);
