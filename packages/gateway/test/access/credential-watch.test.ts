// Open responses whose credentials are revoked.
import { once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { credentialWatch } from '../../src/access/credential-watch.js'

it('a response that waits for its turn on the connection is closed like any other', async () => {
  let revoke: () => void = () => undefined
  const onRevoke = (listener: () => void) => {
    revoke = listener
    return () => undefined
  }
  const watch = credentialWatch(() => undefined, { onRevoke })
  const req = new IncomingMessage(new Socket())
  const res = new ServerResponse(req)
  watch.add(req, res)
  const closed = once(res, 'close')
  revoke()
  await closed
  watch.close()
  expect(res.destroyed).toBe(true)
})
