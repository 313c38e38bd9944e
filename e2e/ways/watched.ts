/** Runs a program of ours whose calls are followed from room to room, and whose time can be stopped: `watched.ts PROGRAM ARGS…`, as the program would be started. */
import { register } from 'node:module'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { createClock } from './clock.ts'
import { createRoomStack } from './room-stack.ts'

Object.assign(globalThis, { roomStack: createRoomStack(), programClock: createClock() })
register('./instrument.ts', import.meta.url)
process.argv.splice(1, 1)
await import(pathToFileURL(process.argv[1] ?? '').href)
