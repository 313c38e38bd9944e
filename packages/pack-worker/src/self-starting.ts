/**
 * A file that is started so has to run under any name, with any ending or none, below a `package.json` of any type: a function that gets
 * its `require` is a script as well as a module. Sources may wait at their top level, so it is one that waits.
 */
export const SCRIPT_HEAD = `(async function (require, importMetaOfScript) { 'use strict';
`
export const SCRIPT_FOOT = `})(process.getBuiltinModule('node:module').createRequire(process.argv[1]), {
  url: process.getBuiltinModule('node:url').pathToFileURL(process.argv[1]).href,
  filename: process.argv[1],
  dirname: process.getBuiltinModule('node:path').dirname(process.argv[1]),
})
`

/**
 * The first lines of a script that is started like a program, or with `sh`. A worker has little to compile and to collect beside its own thread:
 * V8 would start four threads for that, and malloc keep a heap for each thread. Not every `env` takes flags in a line of `#!`, so a shell
 * starts Node with them: what it runs is a string and a comment for Node.
 */
export const SELF_STARTING = `#!/bin/sh
':' //; MALLOC_ARENA_MAX=\${MALLOC_ARENA_MAX:-1} exec node --v8-pool-size=1 "$0" "$@"
;`
