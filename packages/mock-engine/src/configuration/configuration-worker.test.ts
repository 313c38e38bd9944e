import { expect, it } from 'vitest'
import { startMockEngine } from '../engine.ts'

const ID = { id: 'shop' }
const ENTRY = { ...ID, name: 'Shop', description: '', schema: { type: 'object' } }

it('settings outlive the engine, and cannot be changed until their worker has said again what they look like', async () => {
  await using engine = await startMockEngine()
  await engine.call('configuration::register', { ...ENTRY, initial_value: { limit: 1 } })
  await engine.restart()
  expect(await engine.call('configuration::get', ID)).toEqual({ ...ID, value: { limit: 1 } })
  expect(await engine.call('configuration::schema', ID)).toMatchObject({ name: 'Shop', schema: null })
  const set = () => engine.call('configuration::set', { ...ID, value: { limit: 2 } })
  await expect(set()).rejects.toMatchObject({ code: 'SCHEMA_UNAVAILABLE' })
  await engine.call('configuration::register', ENTRY)
  expect(await set()).toEqual({ old_value: { limit: 1 }, new_value: { limit: 2 } })
})

it('an id that cannot be is refused where a value is set too', async () => {
  await using engine = await startMockEngine()
  const set = engine.call('configuration::set', { id: 'Shop', value: 1 })
  await expect(set).rejects.toMatchObject({ code: 'INVALID_ID' })
})

it('a list of a declaration has all of its members', async () => {
  await using engine = await startMockEngine()
  const register = engine.call('configuration::register', ['shop', 'Shop', '', {}, null])
  await expect(register).rejects.toThrow('invalid length 5, expected struct ConfigurationRegisterInput with 6 elements')
})

it('where a schema names no properties and allows no others, the first one is what it does not allow', async () => {
  await using engine = await startMockEngine()
  const declare = (schema: object) =>
    engine.call('configuration::register', { ...ENTRY, schema, initial_value: { limit: 1 } })
  await expect(declare({ additionalProperties: false })).rejects.toThrow('False schema does not allow 1')
  await expect(declare({ additionalProperties: false, properties: {} })).rejects.toThrow("('limit' was unexpected)")
})

it('an engine has the settings of its own anew', async () => {
  await using engine = await startMockEngine({ httpTimeoutMs: 700 })
  const read = () => engine.call('configuration::get', { id: 'iii-http' })
  const before = await read()
  await engine.restart()
  expect(await read()).toEqual(before)
})
