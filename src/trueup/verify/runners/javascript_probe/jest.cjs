// How does our reporter come beside those of a jest run? Through the configuration that jest has read.
'use strict';

const { createRequire } = require('module');
const { join } = require('path');
const { tell, hide, quietly, namePattern, ignored, wantedFiles, keepGoing } = require('./tell.cjs');

const quote = (text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

// jest -> jest-cli -> @jest/core -> jest-config: each is found from the one before it, however they are installed.
function configModule(start) {
  let here = start;
  let found = '';
  for (const name of ['jest', 'jest-cli', '@jest/core', 'jest-config']) {
    try {
      here = createRequire(here).resolve(name);
      if (name === 'jest-config') found = here;
    } catch {
      // This step is not installed: the next one may be found from here.
    }
  }
  return found;
}

function loaded(file) {
  const before = process.env.NODE_ENV;
  process.env.NODE_ENV ??= 'test'; // as jest's own program does before it loads anything
  try {
    return require(file);
  } finally {
    if (before === undefined) delete process.env.NODE_ENV;
  }
}

function withReporter(globalConfig) {
  const reporters = [...(globalConfig.reporters || [['default', {}]]), [join(__dirname, 'jest_reporter.cjs'), {}]];
  // What `--debug` prints is what the user has configured.
  Object.defineProperty(reporters, 'toJSON', { value: () => globalConfig.reporters });
  const changed = { ...globalConfig, reporters };
  if (keepGoing) changed.bail = 0;
  const pattern = namePattern();
  if (pattern) {
    const own = globalConfig.testNamePattern;
    changed.testNamePattern = own ? `(?=[\\s\\S]*(?:${own}))${pattern}` : pattern;
  }
  return Object.freeze(changed);
}

// Files are left out as `testPathIgnorePatterns` would do it.
function narrowed(config) {
  const patterns = ignored.map((file) => `^${quote(file)}$`);
  if (wantedFiles) patterns.push(`^(?!(?:${wantedFiles.map(quote).join('|')})$)`);
  if (!patterns.length) return config;
  return Object.freeze({ ...config, testPathIgnorePatterns: [...config.testPathIgnorePatterns, ...patterns] });
}

const added = quietly((read) => {
  tell('start', { tool: 'jest' });
  return { ...read, globalConfig: withReporter(read.globalConfig), configs: read.configs.map(narrowed) };
});

function wrap(file) {
  const original = loaded(file);
  const { readConfigs } = original;
  if (typeof readConfigs !== 'function') return;
  const seen = Object.create(Object.getPrototypeOf(original), Object.getOwnPropertyDescriptors(original));
  Object.defineProperty(seen, 'readConfigs', {
    configurable: true,
    enumerable: true,
    value: async function (...args) {
      const read = await readConfigs.apply(this, args);
      return added(read) || read;
    },
  });
  require.cache[file].exports = seen;
}

exports.attach = (main) => {
  hide(); // jest's own workers need nothing of ours
  const files = [main, join(process.cwd(), 'package.json')].map(configModule);
  for (const file of new Set(files.filter(Boolean))) wrap(file);
};
