// A stdio server with prompts and no tools. It uses the built library.
import { prompt, server } from 'toolwire'
import { serveStdio } from 'toolwire/stdio'

const prompts = { hello: prompt({ description: 'Says hello', run: () => 'Hello' }) }

await serveStdio(server({ name: 'prompts', version: '1.0.0', prompts }))
