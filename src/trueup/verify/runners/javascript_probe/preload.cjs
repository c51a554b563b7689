// Is this Node process one that runs tests, or eslint? If it is, its tool is looked into; if not, nothing happens.
//
// Node loads this file by NODE_OPTIONS into every process of a check, before the program itself. It must not be
// noticed there: it prints nothing, throws nothing, starts nothing and leaves no handle open. Only a process that is
// the main program of a known test tool, in the tree under test, gets more.
'use strict';

const TOOLS = {
  jest: 'jest',
  'jest-cli': 'jest',
  'react-scripts': 'jest',
  'react-app-rewired': 'jest',
  '@craco/craco': 'jest',
  vitest: 'vitest',
  mocha: 'mocha',
  eslint: 'eslint',
};
// Words after which a tool runs no test: it would seem to have died before the first one.
const NO_RUN = {
  jest: /^(--version|--help|-h|--init|--listTests|--showConfig|--clearCache)$/,
  vitest: /^(--version|-v|--help|-h|list|init|bench|--merge-reports.*|--clearCache)$/,
  mocha: /^(--version|-V|--help|-h|--list-reporters|--list-interfaces|--list-files|init)$/,
  eslint: /^(--version|-v|--help|-h)$/,
};
const SCRIPT = /\.[cm]?[jt]sx?$/;
const LARGEST_SCRIPT = 1000000;

function packageOf(file) {
  const found = /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(file);
  return found ? found[1].replace('\\', '/') : '';
}

function mainScript(fs) {
  try {
    return fs.realpathSync(process.argv[1]);
  } catch {
    return '';
  }
}

function usesNodeTest(fs, file) {
  if (!SCRIPT.test(file) || packageOf(file) || fs.statSync(file).size > LARGEST_SCRIPT) return false;
  return /["'`]node:test["'`]/.test(fs.readFileSync(file, 'latin1'));
}

// The program waits until the tool is prepared. Node lets a preloaded file replace `runMain` for this very purpose.
function beforeMain(prepare) {
  const Module = require('module');
  const runMain = Module.runMain;
  Module.runMain = function (...args) {
    Module.runMain = runMain;
    const run = () => runMain.apply(this, args);
    let prepared;
    try {
      prepared = prepare();
    } catch {
      // It runs without us.
    }
    return prepared && prepared.then ? prepared.then(run, run) : run();
  };
}

function nodeTestRole(fs) {
  const flags = process.execArgv;
  if (String(process.env.NODE_TEST_CONTEXT || '').startsWith('child')) return 'child';
  if (flags.some((flag) => flag.startsWith('--watch'))) return '';
  if (flags.includes('--test')) {
    const all = flags.join(' ') + ' ' + (process.env.NODE_OPTIONS || '');
    return /-isolation[= ]none/.test(all) ? 'alone' : 'parent';
  }
  return '';
}

function settle() {
  if (!require('worker_threads').isMainThread) return;
  const fs = require('fs');
  const role = nodeTestRole(fs);
  const main = role === 'parent' ? '' : mainScript(fs);
  const tool = TOOLS[packageOf(main)];
  if (!role && !tool && (!main || !usesNodeTest(fs, main))) return;
  const tell = require('./tell.cjs');
  if (!tell.isInside(process.cwd())) return;
  if (role || !tool) require('./node_test.cjs').attach(role || 'alone', main);
  else if (!process.argv.slice(2).some((word) => NO_RUN[tool].test(word)))
    beforeMain(() => require('./' + tool + '.cjs').attach(main));
}

try {
  settle();
} catch {
  // Whatever it was, it is not the program's business.
}
