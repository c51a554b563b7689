// What does Node's own test runner do? Its stream of events is listened to; every reporter gets the same as before.
//
// `node --test` (the parent) starts one process for each file (a child), and knows which files there are and how they
// ended; the children know their tests. A file that is run by itself is "alone".
'use strict';

const { Readable } = require('stream');
const { resolve } = require('path');
const Module = require('module');
const { tell, hide, quietly, inside, idOf, numbering, leavesOut, described } = require('./tell.cjs');

const MOST_SAID = 100000;

// --- tests -------------------------------------------------------------------------------------------------------

function watchTests(main) {
  const number = numbering();
  const reported = []; // nesting -> the test that is being reported
  const running = []; // nesting -> the name that was taken up last
  const place = (data) => data.file || main;
  const path = (names, data) => [...names.slice(0, data.nesting), data.name];

  const current = (data) => {
    const known = reported[data.nesting];
    if (known && known.name === data.name && !known.over) return known;
    const id = idOf(place(data), path(reported.map((one) => one.name), data));
    reported.length = data.nesting;
    reported[data.nesting] = { name: data.name, id: null, plain: id, over: false };
    return reported[data.nesting];
  };
  const result = (data, passed) => {
    const test = current(data);
    test.over = true;
    const suite = data.details && data.details.type === 'suite';
    const error = data.details && data.details.error;
    const type = error && error.failureType;
    if (suite) {
      if (!passed && type !== 'subtestsFailed' && !data.todo && !data.skip)
        tell('trouble', { id: test.plain, error: described(error.cause ?? error) });
      return;
    }
    const id = number(test.plain);
    tell('tests', { file: inside(place(data)), ids: [id] });
    if (data.skip !== undefined || data.todo !== undefined) tell('result', { id, outcome: 'skipped' });
    else if (passed) tell('result', { id, outcome: 'passed' });
    else if (type !== 'subtestsFailed') tell('result', { id, outcome: 'failed', error: described(error && (error.cause ?? error)) });
  };
  return {
    'test:dequeue': (data) => {
      running.length = data.nesting;
      running[data.nesting] = data.name;
      tell('begin', { id: idOf(place(data), running) });
    },
    'test:complete': (data) => tell('done', { id: idOf(place(data), path(running, data)) }),
    'test:start': current,
    'test:pass': (data) => result(data, true),
    'test:fail': (data) => result(data, false),
  };
}

// --- files -------------------------------------------------------------------------------------------------------

function watchFiles() {
  const said = new Map();
  const isFile = (data) => data.nesting === 0 && data.file && (data.name === data.file || resolve(data.name) === data.file);
  const result = (data, outcome) => {
    if (!isFile(data)) return;
    const error = (data.details && data.details.error) || {};
    const text = said.get(data.file) || '';
    tell('file_result', { file: inside(data.file), outcome, when: String(error.failureType || ''), error: { text, message: text } });
  };
  return {
    'test:dequeue': (data) => isFile(data) && tell('file', { file: inside(data.file) }),
    'test:stderr': (data) => {
      const before = said.get(data.file) || '';
      if (before.length < MOST_SAID) said.set(data.file, before + data.message);
    },
    'test:pass': (data) => result(data, data.skip !== undefined || data.todo !== undefined ? 'skipped' : 'passed'),
    'test:fail': (data) => result(data, data.todo !== undefined ? 'skipped' : 'failed'),
  };
}

// --- the stream --------------------------------------------------------------------------------------------------

const isEvent = (chunk) => chunk !== null && typeof chunk === 'object' && typeof chunk.type === 'string' && chunk.type.startsWith('test:');

// The stream cannot be asked for; it is met when it hands on its first event.
function meet(watch) {
  const original = Readable.prototype.push;
  const see = quietly((chunk) => {
    if (chunk === null) tell('end');
    else if (isEvent(chunk) && Object.prototype.hasOwnProperty.call(watch, chunk.type)) watch[chunk.type](chunk.data);
  });
  function push(chunk, encoding) {
    if (isEvent(chunk) && this.constructor.name === 'TestsStream') {
      if (Readable.prototype.push === push) Readable.prototype.push = original;
      tell('run');
      see(chunk);
      Object.defineProperty(this, 'push', {
        configurable: true,
        writable: true,
        value: function (more, how) {
          see(more);
          return original.call(this, more, how);
        },
      });
    }
    return original.call(this, chunk, encoding);
  }
  Readable.prototype.push = push;
}

exports.attach = (role, main) => {
  if (role !== 'parent') hide();
  tell('start', { tool: 'node:test', role, file: role === 'child' ? inside(main) : '' });
  if (role === 'child' && leavesOut(main)) {
    tell('left_out', { file: inside(main) });
    Module.runMain = () => undefined;
    return;
  }
  meet(role === 'parent' ? watchFiles() : watchTests(main));
};
