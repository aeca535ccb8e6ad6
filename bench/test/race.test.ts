import { expect, it } from 'vitest'
import { median, race, ratio } from '../src/race.js'

it('takes the median of the rounds', () => {
  expect([median([9, 1, 5]), median([4, 1, 3, 2])]).toEqual([5, 2.5])
})

it('compares each round with the same round of the base', () => {
  expect(ratio([10, 20, 30], [20, 40, 60])).toBe(0.5)
})

it('runs each peer against the control in separate rounds, after the others, and one after another', async () => {
  const turns: string[] = []
  const lane = (name: string, peer: boolean) => ({
    name,
    peer,
    pid: process.pid,
    driver: { run: async (milliseconds: number) => turns.push(`${name} ${milliseconds}`), close: () => undefined },
  })
  const pace = { warmMs: 1, sliceMs: 2, rounds: 2, peerWarmMs: 3, peerSliceMs: 4, peerRounds: 1 }
  const times = await race([lane('control', false), lane('one', true), lane('ours', false), lane('two', true)], pace)
  const sliced = (name: string, milliseconds: number) => [`${name} 20`, `${name} ${milliseconds}`]
  const round = [...sliced('control', 2), ...sliced('ours', 2)]
  const peer = (name: string) => [`${name} 3`, ...sliced('control', 4), ...sliced(name, 4)]
  expect(turns).toEqual(['control 1', 'ours 1', ...round, ...round, ...peer('one'), ...peer('two')])
  expect([...times].map(([name, { took, base }]) => [name, took.length, base.length])).toEqual([
    ['control', 2, 2],
    ['ours', 2, 2],
    ['one', 1, 1],
    ['two', 1, 1],
  ])
})
