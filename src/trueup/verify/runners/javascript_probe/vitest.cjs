// How does our reporter come beside those of a vitest run? vitest's own reporters are asked for the run they belong to.
'use strict';

const { pathToFileURL } = require('url');
const { join } = require('path');
const { tell, hide, quietly, absolute, inside, idOf, numbering, leavesOut, namePattern, described, keepGoing } = require('./tell.cjs');

const { hasOwnProperty } = Object.prototype;

// --- tasks: vitest's own tree of files, suites and tests -----------------------------------------------------------

function* testsOf(task) {
  if (task.type !== 'suite') yield task;
  for (const inner of task.tasks || []) yield* testsOf(inner);
}

function* suitesOf(task) {
  if (task.type === 'suite') yield task;
  for (const inner of task.tasks || []) yield* suitesOf(inner);
}

const fileOf = (task) => task.file || task;

function namesOf(task) {
  const names = [];
  for (let here = task; here && here !== fileOf(task); here = here.suite) names.unshift(here.name);
  return names;
}

const ids = new WeakMap();

function idOfTest(task) {
  if (!ids.has(task)) {
    const file = fileOf(task);
    const number = numbering();
    for (const test of testsOf(file)) ids.set(test, number(idOf(file.filepath, namesOf(test))));
  }
  return ids.get(task);
}

function outcomeOf(test) {
  const state = test.result && test.result.state;
  if (test.mode === 'skip' || test.mode === 'todo' || state === 'skip' || state === 'todo') return 'skipped';
  return state === 'pass' ? 'passed' : state === 'fail' ? 'failed' : '';
}

// vitest has already led the stack back through the source maps.
function explained(error) {
  const found = described(error);
  const stacks = (error && error.stacks) || [];
  found.frames = stacks.filter((frame) => frame && frame.file).map((frame) => [inside(absolute(frame.file)), Number(frame.line) || 0]);
  if (error && typeof error.diff === 'string') found.diff = error.diff;
  return found;
}

function collected(file) {
  tell('tests', { file: inside(file.filepath), ids: [...testsOf(file)].map(idOfTest) });
}

function tellFile(file) {
  collected(file);
  const tests = [...testsOf(file)];
  for (const test of tests) {
    const outcome = outcomeOf(test);
    const [first] = (test.result && test.result.errors) || [];
    if (outcome) tell('result', { id: idOfTest(test), outcome, error: outcome === 'failed' ? explained(first) : undefined });
  }
  for (const suite of suitesOf(file)) {
    const [first] = (suite.result && suite.result.errors) || [];
    if (first && suite === file && !tests.length) tell('broken', { file: inside(file.filepath), error: explained(first) });
    else if (first) tell('trouble', { id: idOf(file.filepath, namesOf(suite)), error: explained(first) });
  }
  tell('file_end', { file: inside(file.filepath) });
}

// --- a run -------------------------------------------------------------------------------------------------------

function reporter(vitest) {
  let over = false;
  const finish = quietly(() => {
    if (over) return;
    over = true;
    for (const file of vitest.state.getFiles()) tellFile(file);
    const loose = vitest.config.dangerouslyIgnoreUnhandledErrors ? [] : vitest.state.getUnhandledErrors();
    for (const error of loose)
      tell('trouble', { id: error && error.VITEST_TEST_PATH ? inside(error.VITEST_TEST_PATH) : '', error: explained(error) });
    tell('end');
  });
  const seen = (ev) => quietly((test) => tell(ev, { id: idOfTest(test.task) }));
  const begun = (file) => tell('file', { file: inside(file) });
  return {
    onTestModuleQueued: quietly((module) => begun(module.moduleId)),
    onPathsCollected: quietly((paths) => (paths || []).forEach(begun)), // before vitest 4
    onTestModuleCollected: quietly((module) => collected(module.task)),
    onTestCaseReady: seen('begin'),
    onTestCaseResult: seen('done'),
    onTestRunEnd: finish,
    onCollected: quietly((files) => (files || []).forEach(collected)), // before vitest 3
    onFinished: finish,
  };
}

function choose(vitest) {
  if (keepGoing) vitest.config.bail = 0;
  const pattern = namePattern();
  if (pattern) {
    const own = vitest.config.testNamePattern;
    const whole = new RegExp(own ? `(?=[\\s\\S]*(?:${own.source}))${pattern}` : pattern);
    if (vitest.setGlobalTestNamePattern) vitest.setGlobalTestNamePattern(whole);
    else vitest.configOverride.testNamePattern = whole;
  }
  for (const project of vitest.projects || []) leaveOut(project);
}

function leaveOut(project) {
  const { globTestFiles } = project;
  if (typeof globTestFiles !== 'function') return;
  const keep = (files) => (Array.isArray(files) ? files.filter((file) => !leavesOut(file)) : files);
  project.globTestFiles = async function (...args) {
    const found = await globTestFiles.apply(this, args);
    if (Array.isArray(found)) return keep(found);
    return { ...found, testFiles: keep(found.testFiles), typecheckTestFiles: keep(found.typecheckTestFiles) };
  };
}

const known = new WeakSet();

const join_ = quietly((vitest) => {
  if (!vitest || !Array.isArray(vitest.reporters) || known.has(vitest)) return;
  known.add(vitest);
  choose(vitest);
  vitest.reporters.push(reporter(vitest));
  tell('run');
});

function before(prototype, name, contextOf) {
  const original = prototype[name];
  if (typeof original !== 'function' && name !== 'onInit') return;
  Object.defineProperty(prototype, name, {
    configurable: true,
    writable: true,
    value: function (...args) {
      join_(contextOf(this, args));
      return original ? original.apply(this, args) : undefined;
    },
  });
}

exports.attach = async (main) => {
  const root = /.*[\\/]node_modules[\\/]vitest(?=[\\/])/.exec(main)[0];
  const api = await import(pathToFileURL(join(root, 'dist', 'node.js')).href);
  const maps = api.ReportersMap ? api : await import(pathToFileURL(join(root, 'dist', 'reporters.js')).href);
  hide(); // vitest's own workers need nothing of ours
  for (const kind of new Set(Object.values(maps.ReportersMap))) before(kind.prototype, 'onInit', (_self, args) => args[0]);
  // A run that has only reporters of the user's own is met when its files are put in order.
  if (hasOwnProperty.call(api.BaseSequencer.prototype, 'sort')) before(api.BaseSequencer.prototype, 'sort', (self) => self.ctx);
  tell('start', { tool: 'vitest' });
};
