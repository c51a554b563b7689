// What does eslint complain about? Kept as it is told here; what is returned is eslint's own usual text.
'use strict';

const { mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } = require('fs');
const { join } = require('path');
const { randomBytes } = require('crypto');

function keep(results) {
  const said = JSON.stringify(
    results.map(({ filePath, messages }) => ({
      filePath,
      messages: messages.map(({ ruleId, severity, fatal, message, line, column }) => ({
        ruleId,
        severity,
        fatal: Boolean(fatal),
        message,
        line,
        column,
      })),
    })),
  );
  const folder = JSON.parse(readFileSync(join(__dirname, 'probe.json'), 'utf8')).complaints;
  const file = join(folder, `${process.pid}-${randomBytes(4).toString('hex')}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, JSON.stringify({ tool: 'eslint', said, folder: process.cwd() }), { mode: 0o600 });
  renameSync(file, `${file}.json`);
}

module.exports = (results, context) => {
  try {
    keep(results);
  } catch {
    // Then its text has to do.
  }
  const main = realpathSync(process.argv[1]);
  return require(join(main, '..', '..', 'lib', 'cli-engine', 'formatters', 'stylish.js'))(results, context);
};
