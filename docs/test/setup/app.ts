// A server for pages about serving.
import { server, tool } from 'toolwire'

export const app = server({
  name: 'shop',
  version: '1.0.0',
  tools: { hello: tool({ description: 'Says hello', hints: { readOnly: true }, run: () => 'Hello' }) },
})
