/** V8 would start four threads to compile and to collect garbage, each with memory of its own. A worker keeps one of them busy at most. */
export const NODE_FLAG = '--v8-pool-size=1'

/**
 * The first lines of a script that is started like a program. Not every `env` takes a flag in a line of `#!`, so a shell starts Node with it:
 * what it runs is a string and a comment for Node.
 */
export const SELF_STARTING = `#!/bin/sh
':' //; exec node ${NODE_FLAG} "$0" "$@"
;`
