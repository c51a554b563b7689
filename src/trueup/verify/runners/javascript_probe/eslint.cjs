// eslint tells what it complains about by its formatter: it gets one that keeps the results, and shows its usual text.
'use strict';

const { existsSync } = require('fs');
const { join } = require('path');

// The user chose a format, or nothing is looked at.
const LEAVE = /^(-f.*|--format(=.*)?|--init|--print-config(=.*)?|--inspect-config|--env-info|--stdin|-h|--help|-v|--version|--mcp)$/;

function attach(main) {
  const end = process.argv.indexOf('--');
  const words = process.argv.slice(2, end < 0 ? undefined : end);
  const usual = join(main, '..', '..', 'lib', 'cli-engine', 'formatters', 'stylish.js');
  if (words.some((word) => LEAVE.test(word)) || !existsSync(usual)) return;
  process.argv.splice(2, 0, '--format', join(__dirname, 'eslint_formatter.cjs'));
}

module.exports = { attach };
