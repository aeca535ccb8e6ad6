// A stdio server that uses the built library.
import { jsonSchema, server, tool } from 'toolwire'
import { serveStdio } from 'toolwire/stdio'

const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false }

await serveStdio(
  server({
    name: 'echo',
    version: '1.0.0',
    tools: {
      echo: tool({ description: 'Says it again', hints: { readOnly: true }, input: jsonSchema(input), run: ({ text }) => text }),
      wait: tool({
        description: 'Takes its time',
        run: async (_, { signal }) => {
          await new Promise((resolve, reject) => {
            const timer = setTimeout(resolve, 1_500)
            signal.addEventListener('abort', () => {
              clearTimeout(timer)
              reject(signal.reason)
            })
          })
          return 'done'
        },
      }),
    },
  }),
)
