// The types of Node are a part of ours: whoever compiles against them has them from here.
/// <reference types="node" preserve="true" />

export { type PackOptions, packArchives, SCRIPT } from './archives.ts'
export { formatLicences } from './licences.ts'
export { place } from './place.ts'
export { readProject } from './project.ts'
export { buildScript, ONE_FILE } from './script.ts'
export { SCRIPT_FOOT, SCRIPT_HEAD, SELF_STARTING } from './self-starting.ts'
export { createTextPlugin } from './texts.ts'
export { type PackedWorker, requireWorkerManifest, type WorkerManifest } from './worker-manifest.ts'
