import type { Defects } from './defects.ts'
import { createEngine22 } from './engine-22.ts'
import { createEngine23 } from './engine-23.ts'
import type { EngineGeneration, Generation } from './generation.ts'

/** What a generation can be told. */
export interface GenerationSettings {
  readonly engine: EngineGeneration
  readonly namespaceGraceMs: number
}

export function createGeneration({ engine, namespaceGraceMs }: GenerationSettings, defects: Defects): Generation {
  return engine === '0.22' ? createEngine22() : createEngine23(namespaceGraceMs, defects)
}
