/**
 * Loaded before a program (`--import`): its clock is off by as many milliseconds as the file says that SOAK_CLOCK names, as that of a machine is
 * whose time was set. What counts how long something takes (`performance`, timers) goes on as it does then.
 */
import { readFileSync } from 'node:fs'
import process from 'node:process'

const LOOK_EVERY_MS = 250
const file = process.env['SOAK_CLOCK']

if (file !== undefined) {
  const RealDate = Date
  let offset = 0
  const look = () => {
    try {
      offset = Number(readFileSync(file, 'utf8')) || 0
    } catch {
      offset = 0
    }
  }
  look()
  setInterval(look, LOOK_EVERY_MS).unref()
  const now = () => RealDate.now() + offset
  globalThis.Date = new Proxy(RealDate, {
    apply: () => new RealDate(now()).toString(),
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
  })
}
