// What does a jest run do? A reporter beside the user's own; a test's result counts when its file has ended.
'use strict';

const { tell, quietly, inside, idOf, numbering } = require('./tell.cjs');

const OUTCOMES = { passed: 'passed', failed: 'failed', pending: 'skipped', skipped: 'skipped', todo: 'skipped', disabled: 'skipped' };
const nameOf = (test) => [...(test.ancestorTitles || []), test.title];

function failed(result) {
  const [first] = result.failureMessages || [];
  const [details] = result.failureDetails || [];
  const error = { stack: String(first || ''), text: (result.failureMessages || []).join('\n\n') };
  const match = details && (details.matcherResult || (details.error && details.error.matcherResult));
  if (match && match.message) error.message = String(match.message);
  return error;
}

module.exports = class {
  onRunStart() {
    tell('run');
  }

  onTestFileStart(test) {
    quietly(() => tell('file', { file: inside(test.path) }))();
  }

  onTestCaseStart(test, started) {
    quietly(() => tell('begin', { id: idOf(test.path, nameOf(started)) }))();
  }

  onTestCaseResult(test, result) {
    quietly(() => tell('done', { id: idOf(test.path, nameOf(result)) }))();
  }

  onTestFileResult(test, result) {
    quietly(() => {
      const file = inside(test.path);
      const number = numbering();
      const ids = result.testResults.map((one) => number(idOf(test.path, nameOf(one))));
      tell('tests', { file, ids });
      result.testResults.forEach((one, index) => {
        const outcome = OUTCOMES[one.status];
        if (outcome) tell('result', { id: ids[index], outcome, error: outcome === 'failed' ? failed(one) : undefined });
      });
      const trouble = result.testExecError;
      if (trouble) {
        const error = { message: String(trouble.message || ''), stack: String(trouble.stack || '') };
        if (ids.length) tell('trouble', { id: file, error });
        else tell('broken', { file, error: { ...error, text: String(result.failureMessage || '') } });
      }
      tell('file_end', { file });
    })();
  }

  onRunComplete(_contexts, results) {
    quietly(() => {
      const error = results && results.runExecError;
      if (error) tell('trouble', { id: '', error: { message: String(error.message || ''), stack: String(error.stack || '') } });
      tell('end');
    })();
  }

  getLastError() {
    return undefined;
  }
};
