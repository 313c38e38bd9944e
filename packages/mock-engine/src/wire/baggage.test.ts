import { describe, expect, it } from 'vitest'
import { formatBaggage, parseBaggage } from './baggage.ts'

describe('baggage', () => {
  // Measured on 0.22.1, as the events of `state` carry it.
  it.each([
    ['a=b,c=d', 'a=b,c=d'],
    [' a = b ,x', 'a=b'],
    ['a=b,a=c', 'a=c'],
    ['a="x"', 'a=%22x%22'],
    ['a=b c', 'a=b%20c'],
    ['a=b\tc', 'a=b%09c'],
    ['a=b\\c', 'a=b\\c'],
    ['a=%20', 'a='],
    ['a=%20x', 'a=x'],
    ['a=%zz', 'a=%zz'],
    ['a=%25', 'a=%'],
    ['a=%2Cb%3D%3B', 'a=%2Cb%3D%3B'],
    ['a=%C3%BC', 'a=%C3%BC'],
    ['%61=b', 'a=b'],
    ['a=b=c', 'a=b'],
    ["A!#$&'*+-.^_`|~=1", "A!#$&'*+-.^_`|~=1"],
    ['a=b;', 'a=b'],
    ['a=b;;p', 'a=b;;p'],
    ['a=b; p = 1 ; q', 'a=b;p = 1;q'],
    ['a=b;p=%20x', 'a=b;p= x'],
    ['a=b;%C3%BC', 'a=b;ü'],
    ['a=1;b,c=2', 'a=1;b,c=2'],
  ])('%j is written as %j', (text, written) => {
    expect(formatBaggage(parseBaggage(text))).toBe(written)
  })

  it.each(['', 'a', '=b', ';;;=,', 'ü=ü', 'a b=c', 'a/b=c', 'a(=1', 'a=%ff'])('%j has no entry', (text) => {
    expect(formatBaggage(parseBaggage(text))).toBeUndefined()
  })
})
