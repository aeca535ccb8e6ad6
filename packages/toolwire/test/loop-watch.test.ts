import { expect, it } from 'vitest'
import { mainThreadMs } from '../../../bench/src/promises/loop-watch.js'
import { ownWork, watchLoop } from './loop-watch.js'

function work(ms: number): void {
  const end = mainThreadMs() + ms
  while (mainThreadMs() < end);
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 20))

it.fails('a test that talks to a peer fails if the event loop is blocked', async () => {
  watchLoop()
  await turn()
  work(2_400)
  await turn()
})

it('the watch allows work in slices and the test’s own work', async () => {
  watchLoop()
  for (let slice = 0; slice < 4; slice++) {
    work(300)
    await turn()
  }
  ownWork(() => work(2_400))
  await turn()
  expect(() => ownWork(() => expect.fail('thrown'))).toThrow('thrown')
})
