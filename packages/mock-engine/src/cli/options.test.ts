import { describe, expect, it } from 'vitest'
import { parseEngineCommand } from './options.ts'

describe('the command line', () => {
  it('has defaults, the ports of the real engine among them', () => {
    expect(parseEngineCommand([], '1.2.3')).toEqual({
      run: 'start',
      options: { engine: '0.22', port: 49134, httpPort: 3111, host: '127.0.0.1', fixed: false, faults: [], seed: 1 },
    })
  })

  it('takes what can be set, faults as often as they come', () => {
    const faults = ['--fault', 'refuse-http', '--fault', 'reorder']
    const flags = ['--port=0', '--data', 'd', '--fixed', '--seed', '7', '--engine-version', '0.23', ...faults]
    expect(parseEngineCommand(flags, '1.2.3')).toMatchObject({
      run: 'start',
      options: {
        engine: '0.23',
        port: 0,
        dataDir: 'd',
        fixed: true,
        seed: 7,
        faults: [{ fault: 'refuse-http' }, { fault: 'reorder' }],
      },
    })
  })

  it.each([
    [['--prot', '1'], 'unknown option --prot; did you mean --port? --help lists'],
    [['--zzzzz'], 'unknown option --zzzzz. --help lists'],
    [['--port'], '--port needs a value. --help lists'],
    [['--port', '5001', '--http-port', '5001'], '--port and --http-port are both 5001, and have to differ. --help'],
    [['--seed', '-3'], "--seed needs a value; one that begins with '-' is written --seed=-…. --help lists"],
    [['--fixed=no'], '--fixed takes no value. --help'],
    [['--data', ''], '--data takes a folder, and not an empty text. --help'],
    [['--port', '70000'], "--port takes a port from 0 to 65535, not '70000'. --help"],
    [['--engine-version', '0.23.0'], "--engine-version takes 0.22 or 0.23, not '0.23.0'. --help"],
    [['--seed', '0.5'], "--seed takes a whole number, not '0.5'."],
    [['--fault', 'lose-reslt'], "there is no fault 'lose-reslt'; did you mean 'lose-result'? --help"],
    [
      ['--fault', 'delay-call'],
      'delay-call needs ms: milliseconds, or a range of them (10..50, in code [10, 50]). --help',
    ],
    [['stray'], "Unexpected argument 'stray'"],
  ])('refuses %j with what would be right', (argv, text) => {
    expect(parseEngineCommand(argv, '1.2.3')).toEqual({ run: 'refuse', text: expect.stringContaining(text) as string })
  })
})
