// Returns the metadata and the arguments of a call. Run against the built library.
import { jsonSchema, server, tool } from 'toolwire'
import { serveStdio } from 'toolwire/stdio'

const input = jsonSchema({ type: 'object', properties: { word: { type: 'string' } } })

await serveStdio(
  server({
    name: 'place',
    version: '1.0.0',
    tools: {
      place: tool({
        description: 'Tells what came along',
        hints: { readOnly: true },
        input,
        run: ({ word }, { meta }) => JSON.stringify({ traceparent: meta.traceparent, baggage: meta.baggage, word }),
      }),
      fail: tool({
        description: 'Fails',
        hints: { readOnly: true },
        run: () => {
          throw new Error('The word was swordfish')
        },
      }),
    },
  }),
)
