// What does a mocha run do? Its runner is listened to; what it emits stays as it is.
'use strict';

const { existsSync } = require('fs');
const { join } = require('path');
const { tell, hide, quietly, inside, idOf, numbering, leavesOut, described, wanted, keepGoing } = require('./tell.cjs');

const EACH = /^"(?:before|after) each" hook/;
let loading = '';

function mochaClass(main) {
  const root = /.*[\\/]node_modules[\\/]mocha(?=[\\/])/.exec(main)[0];
  const file = ['lib/mocha.cjs', 'lib/mocha.js'].map((name) => join(root, name)).find(existsSync);
  const found = require(file);
  return found.default || found;
}

let started = false;
function start(mocha) {
  if (!started) tell('start', { tool: 'mocha' });
  started = true;
  hide();
  mocha.files = mocha.files.filter((file) => !leavesOut(file));
  mocha.suite.on('pre-require', (_context, file) => {
    loading = file;
    if (file) tell('file', { file: inside(file) });
  });
  mocha.suite.on('post-require', (_context, file) => {
    if (file) tell('file_end', { file: inside(file) });
  });
}

function broken(error) {
  tell('file_end', { file: inside(loading) });
  tell('broken', { file: inside(loading), error: described(error) });
}

// --- a run -------------------------------------------------------------------------------------------------------

function naming() {
  const known = new Map();
  const number = numbering();
  return (test) => {
    const first = (test.retriedTest && test.retriedTest()) || test;
    const key = typeof first.id === 'string' ? first.id : first.__mocha_id__ || first;
    if (!known.has(key)) known.set(key, number(idOf(test.file, test.titlePath())));
    return known.get(key);
  };
}

function* testsOf(suite) {
  yield* suite.tests || [];
  for (const inner of suite.suites || []) yield* testsOf(inner);
}

const isChosen = (runner, test) => !runner._grep || runner._grep.test(test.fullTitle()) !== Boolean(runner._invert);

function inventory(runner, name) {
  const files = new Map();
  for (const test of testsOf(runner.suite)) {
    const id = name(test); // every test is numbered, whether it is run or not
    if (isChosen(runner, test)) files.set(test.file, [...(files.get(test.file) || []), id]);
  }
  for (const [file, ids] of files) tell('tests', { file: inside(file), ids });
}

function narrow(suite, name) {
  for (const list of ['tests', '_onlyTests'])
    if (Array.isArray(suite[list])) suite[list] = suite[list].filter((test) => wanted.has(name(test)));
  for (const inner of suite.suites) narrow(inner, name);
}

function goOn(suite) {
  if (suite.bail) suite.bail(false);
  for (const inner of suite.suites || []) goOn(inner);
}

function listen(runner) {
  const name = naming();
  const options = runner._opts || {};
  let passed = null; // until the hooks after it have run, too
  const settled = () => {
    if (passed !== null) tell('result', { id: passed, outcome: 'passed' });
    passed = null;
  };
  const on = (event, act) => runner.on(event, quietly(act));

  if (wanted && runner.suite.tests) {
    for (const test of testsOf(runner.suite)) name(test);
    narrow(runner.suite, name);
    runner.total = runner.suite.total();
  }
  if (keepGoing) goOn(runner.suite);
  on('start', () => {
    tell('run');
    inventory(runner, name);
  });
  on('suite', settled);
  on('suite end', settled);
  on('test', (test) => {
    settled();
    tell('begin', { id: name(test) });
  });
  on('pass', (test) => {
    settled();
    passed = options.dryRun ? null : name(test);
  });
  on('pending', (test) => {
    settled();
    tell('tests', { file: inside(test.file), ids: [name(test)] });
    tell('result', { id: name(test), outcome: 'skipped' });
  });
  on('fail', (runnable, error) => {
    const test = runnable.type === 'hook' ? runnable.ctx && runnable.ctx.currentTest : runnable;
    if (test && (runnable.type !== 'hook' || EACH.test(runnable.title))) {
      const id = name(test);
      if (passed === id) passed = null;
      settled();
      tell('result', { id, outcome: 'failed', error: described(error) });
      return;
    }
    settled();
    const file = runnable.file || (runnable.parent && runnable.parent.file) || '';
    tell('trouble', { id: idOf(file, runnable.titlePath()), error: described(error) });
  });
  on('end', () => {
    settled();
    tell('end');
  });
}

function wrapRun(prototype) {
  const { run } = prototype;
  prototype.run = function (...args) {
    quietly(listen)(this);
    return run.apply(this, args);
  };
}

exports.attach = (main) => {
  const Mocha = mochaClass(main);
  const { loadFiles, loadFilesAsync, run } = Mocha.prototype;
  const wrapped = new Set([Mocha.Runner]);
  wrapRun(Mocha.Runner.prototype);
  Mocha.prototype.loadFiles = function (...args) {
    quietly(start)(this);
    try {
      return loadFiles.apply(this, args);
    } catch (error) {
      quietly(broken)(error);
      throw error;
    }
  };
  if (loadFilesAsync)
    Mocha.prototype.loadFilesAsync = function (...args) {
      quietly(start)(this);
      const done = loadFilesAsync.apply(this, args);
      done.then(undefined, quietly(broken));
      return done;
    };
  Mocha.prototype.run = function (...args) {
    const kind = this._runnerClass; // another one for `--parallel`
    if (kind && !wrapped.has(kind)) {
      wrapped.add(kind);
      if (Object.prototype.hasOwnProperty.call(kind.prototype, 'run')) wrapRun(kind.prototype);
      quietly(start)(this);
    }
    return run.apply(this, args);
  };
};
