// Which of these JavaScript files do not parse? Their paths come on standard input; nothing of them is run.
"use strict";
const fs = require("fs");
const vm = require("vm");

// A script that fails in one of these ways was meant as a module.
const MODULE =
  /Cannot use import statement|Unexpected token 'export'|import\.meta|await is only valid|Unexpected reserved word|'import' and 'export'/;

function asScript(source) {
  const wrapped = `(function (exports, require, module, __filename, __dirname) {${source}\n});`;
  return tried(() => new vm.Script(wrapped, { filename: "script" }));
}

function asModule(source) {
  return tried(() => new vm.SourceTextModule(source, { identifier: "script" }));
}

function tried(compile) {
  try {
    compile();
    return null;
  } catch (error) {
    return error;
  }
}

// A file does not say which it is: it is right if it is one of them.
function problem(path, source) {
  if (path.endsWith(".mjs")) return asModule(source);
  const script = asScript(source);
  if (script === null || path.endsWith(".cjs")) return script;
  const module = asModule(source);
  if (module === null) return null;
  return MODULE.test(script.message) ? module : script;
}

const found = {};
for (const path of JSON.parse(fs.readFileSync(0, "utf8"))) {
  const source = fs.readFileSync(path, "utf8").replace(/^\uFEFF/, "").replace(/^#!.*/, "");
  const error = problem(path, source);
  const line = error && /script:(\d+)/.exec(error.stack);
  if (error) found[path] = [String(error.name), String(error.message), line ? Number(line[1]) : null];
}
process.stdout.write(JSON.stringify(found));
