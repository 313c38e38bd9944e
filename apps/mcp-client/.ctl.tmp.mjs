import { registerWorker, createLog } from '@iii/sdk'
const [,, fn, payload='{}', timeout='30000'] = process.argv
const w = registerWorker(process.env.URL ?? 'ws://127.0.0.1:49102', { name: 'ctl', log: createLog({name:'ctl',level:'silent'}) })
await w.ready()
const t=performance.now()
try { const r = await w.trigger({ function_id: fn, payload: JSON.parse(payload), timeoutMs: Number(timeout) }); const s=JSON.stringify(r); console.log(Math.round(performance.now()-t)+'ms', s.length+' bytes'); console.log(process.env.FULL? s : s.slice(0,1500)) } catch (e) { console.log(Math.round(performance.now()-t)+'ms', 'FAULT', e.code, e.message?.slice(0,600)) }
await w.shutdown?.(); process.exit(0)
