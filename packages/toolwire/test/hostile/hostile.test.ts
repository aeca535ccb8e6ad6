// Runs every scripted fault on every applicable transport and in every applicable revision style, with good calls at the same time.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../../src/client/index.js'
import { expectWithin, soaking } from '../soak.js'
import type { Carrier, Fault, RevisionStyle } from './fault.js'
import { FaultRunner, type Place } from './fault-runner.js'
import { faults } from './faults.js'
import { judge } from './judge.js'

let runner: FaultRunner
beforeAll(async () => {
  runner = await FaultRunner.open()
})
afterAll(() => runner.close())

const carriers: readonly Carrier[] = ['http', 'stdio']
const styles: readonly RevisionStyle[] = ['handshake', 'per-request']

/** A fault runs in one revision style over HTTP and in the other on a pipe; the next fault the other way round. The suite runs only one of them. */
function placesOf(fault: Fault, nth: number): Place[] {
  const all = allPlacesOf(fault, nth)
  return soaking ? all : all.filter((_, at) => at === nth % all.length)
}

function allPlacesOf({ over, style }: Fault, nth: number): Place[] {
  const inTurn = (carrier: Carrier) => styles.filter((_, at) => (nth + carriers.indexOf(carrier) + at) % 2 === 0)
  const inStyles = (carrier: Carrier) =>
    style === undefined ? inTurn(carrier) : styles.filter((one) => style === 'both' || one === style)
  return carriers
    .filter((carrier) => carrier === (over ?? carrier))
    .flatMap((carrier) => inStyles(carrier).map((one) => ({ carrier, style: one })))
}

const titleOf = ({ ids = '', name, rows }: Fault) => `${ids} ${name}${rows ? ` (row ${rows.join(', ')})` : ''}`.trim()

/** The suite runs every second fault with an obligation, and every fourth of the others. */
const tried = faults.filter(({ ids }, at) => soaking || at % (ids ? 2 : 4) === 0)

for (const [nth, fault] of tried.entries()) {
  describe(titleOf(fault), () => {
    for (const place of placesOf(fault, nth)) {
      it(`over ${place.carrier}, ${place.style}`, async () => {
        const shows = typeof fault.shows === 'function' ? fault.shows(place) : fault.shows
        await judge(shows, await runner.play(fault, place, shows.afterwards !== 'unasked'))
      })
    }
  })
}

describe('Without a server', () => {
  it.each([
    ['a port that is closed', 'http://127.0.0.1:9/mcp'],
    ['a command that does not exist', { command: 'no-such-command-anywhere' }],
  ])('a connection to %s fails at once (row 2)', async (_, target) => {
    const began = performance.now()
    await expect(connect(target)).rejects.toMatchObject({ name: 'CallFailure', code: 'disconnected' })
    expectWithin(performance.now() - began, 50)
  })
})
