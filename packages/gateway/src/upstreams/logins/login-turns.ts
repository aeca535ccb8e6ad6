import { setTimeout as pause } from 'node:timers/promises'
import type { Fleet } from '../../store/store.js'

const waitMs = 30_000
const pauseMs = 100

/**
 * Lets one replica at a time renew or change a login, because an authorization server may end a login whose refresh token is used twice.
 * Without the database there is no turn: other replicas would not learn of the new tokens.
 */
export const loginTurns =
  ({ turns }: Pick<Fleet, 'turns'>) =>
  async <T>(login: string, work: () => Promise<T>): Promise<T> => {
    const places = [{ key: `login ${login}`, most: 1 }]
    const until = performance.now() + waitMs
    let leave = await turns.enter(places)
    while (!leave) {
      if (performance.now() > until)
        throw new Error('Another replica has been renewing this login for 30 seconds. Try again, or stop that replica')
      await pause(pauseMs)
      leave = await turns.enter(places)
    }
    try {
      return await work()
    } finally {
      leave()
    }
  }
