// How is it told what happened? One JSON line for each thing, appended to a file of this process.
//
// The tests run in the same process and may replace anything: what is needed is bound here, before them.
'use strict';

const { openSync, writeSync, readFileSync, realpathSync } = require('fs');
const { join, isAbsolute, resolve } = require('path');
const { fileURLToPath } = require('url');
const { inspect } = require('util');
const { randomBytes } = require('crypto');
const { stringify } = JSON;

// Far more than is ever shown: who reads this takes secrets out first, and a cut through one would keep its halves.
const LONGEST_TEXT = 200000;
const LONGEST_VALUE = 10000;

const told = JSON.parse(readFileSync(join(__dirname, 'probe.json'), 'utf8'));
const bench = real(told.bench);
const ignored = new Set(told.ignore.map((path) => join(bench, path)));
const wanted = told.select && new Set(told.select);

let file = null;
let waiting = '';

function tell(ev, more) {
  try {
    waiting += stringify({ ...more, ev }) + '\n';
    if (file === null) file = openSync(join(told.events, `${process.pid}-${randomBytes(4).toString('hex')}.jsonl`), 'a', 0o600);
    const line = Buffer.from(waiting);
    for (let done = 0; done < line.length; ) done += writeSync(file, line, done);
    waiting = '';
  } catch (error) {
    // A test closed our descriptor, or replaced the file system for a while: what waits goes with the next line.
    if (error && error.code === 'EBADF') file = null;
  }
}

// --- places and names --------------------------------------------------------------------------------------------

function real(path) {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

function absolute(path) {
  if (typeof path !== 'string' || !path) return '';
  const plain = path.startsWith('file://') ? fileURLToPath(path) : path;
  return isAbsolute(plain) ? plain : resolve(plain);
}

// The path as seen from the tree under test; as it is when it lies elsewhere.
function inside(path) {
  const whole = absolute(path);
  for (const candidate of whole ? [whole, real(whole)] : [])
    if (candidate.startsWith(bench + '/')) return candidate.slice(bench.length + 1);
  return whole;
}

function isInside(path) {
  const whole = real(path);
  return whole === bench || whole.startsWith(bench + '/');
}

const plain = (name) => String(name).replace(/\s+/g, ' ').trim();

function idOf(path, names) {
  return [inside(path), names.map(plain).join(' > ')].filter(Boolean).join('::');
}

// Gives the second test of the same name the number two, and so on.
function numbering() {
  const seen = new Map();
  return (id) => {
    const count = (seen.get(id) || 0) + 1;
    seen.set(id, count);
    return count > 1 ? `${id} (${count})` : id;
  };
}

// --- what is chosen ----------------------------------------------------------------------------------------------

const fileOf = (id) => id.split('::', 1)[0];
const wantedFiles = wanted && new Set([...wanted].map((id) => join(bench, fileOf(id))));

function leavesOut(path) {
  const whole = real(absolute(path));
  return ignored.has(whole) || Boolean(wantedFiles && !wantedFiles.has(whole));
}

// A pattern for the whole names of the chosen tests, as the tools join them: with a blank. "" = everything.
function namePattern() {
  const names = wanted ? [...wanted].map((id) => id.slice(fileOf(id).length + 2)) : [];
  if (!names.length || names.includes('')) return '';
  const quoted = names.map((name) =>
    name
      .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
      .replace(/ > /g, '(?: > | )')
      .replace(/ \\\((\d+)\\\)$/, '(?: \\($1\\))?')
      .replace(/ /g, '\\s+'),
  );
  return `^\\s*(?:${quoted.join('|')})\\s*$`;
}

// --- what went wrong ---------------------------------------------------------------------------------------------

const cut = (text, limit) =>
  text.length <= limit ? text : text.slice(0, limit / 2) + '\n[…]\n' + text.slice(-limit / 2);
const shown = (value) => cut(typeof value === 'string' ? value : inspect(value, { depth: 4 }), LONGEST_VALUE);

function described(error) {
  try {
    if (error === null || typeof error !== 'object' || !('message' in error || 'stack' in error))
      return { message: shown(error) };
    const found = {
      kind: String(error.name || 'Error'),
      message: cut(String(error.message ?? ''), LONGEST_TEXT),
      stack: cut(String(error.stack || ''), LONGEST_TEXT),
    };
    if (error.expected !== undefined || error.actual !== undefined)
      Object.assign(found, { expected: shown(error.expected), actual: shown(error.actual) });
    return found;
  } catch {
    return { message: '<the error cannot be shown>' };
  }
}

// --- environment -------------------------------------------------------------------------------------------------

// Programs that the tests start must not inherit the probe, nor those of other tools.
function hide() {
  for (const [name, ours] of Object.entries(told.others || {})) {
    const now = process.env[name];
    if (now === undefined || !now.includes(ours)) continue;
    const part = [ours + ':', ' ' + ours, ours].find((text) => now.includes(text));
    const rest = now.replace(part, () => '');
    if (rest) process.env[name] = rest;
    else delete process.env[name];
  }
  const options = process.env.NODE_OPTIONS;
  if (!options || !options.includes(told.added)) return;
  const rest = options.replace(told.added, '').trim();
  if (rest || told.had) process.env.NODE_OPTIONS = rest;
  else delete process.env.NODE_OPTIONS;
}

// Calls of ours inside a tool must never fail there.
const quietly = (act) =>
  function (...args) {
    try {
      return act.apply(this, args);
    } catch (error) {
      tell('problem', { text: shown(error) });
      return undefined;
    }
  };

module.exports = {
  ...{ tell, hide, quietly, absolute, inside, isInside, idOf, numbering, leavesOut, namePattern, described, wanted },
  keepGoing: told.keep_going,
  ignored: [...ignored],
  wantedFiles: wantedFiles && [...wantedFiles],
};
