/**
 * The first lines of a script that is started like a program, or with `sh`. A worker has little to compile and to collect beside its own thread:
 * V8 would start four threads for that, and malloc keep a heap for each thread. Not every `env` takes flags in a line of `#!`, so a shell
 * starts Node with them: what it runs is a string and a comment for Node.
 */
export const SELF_STARTING = `#!/bin/sh
':' //; MALLOC_ARENA_MAX=\${MALLOC_ARENA_MAX:-1} exec node --v8-pool-size=1 "$0" "$@"
;`
