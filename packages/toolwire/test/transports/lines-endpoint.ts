import type { Endpoint } from '../../src/peer/client-transport.js'
import { lineTransport, type StreamPair } from '../../src/transports/stdio/client/line-transport.js'

/** An endpoint behind a Unix socket, a TCP connection, or any other pair of byte streams. */
export const linesEndpoint = (open: () => StreamPair | Promise<StreamPair>, { name }: { readonly name: string }): Endpoint => ({
  name,
  key: `lines:${name}`,
  dial: async (listener) => lineTransport(await open(), listener),
})
