export { explainFlaw, MAX_SCHEMA_BYTES, toSchemaBytes } from './flaw.ts'
export { MAX_DEPTH, MAX_SUBSCHEMAS, type MendedSchema, mendSchema } from './mender.ts'
export { findTarget } from './references.ts'
export { findDialect } from './rules.ts'
