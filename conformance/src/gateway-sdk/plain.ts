// Tools that do not ask: every kind of content, a failure, progress, logs and schemas.
import { setTimeout as sleep } from 'node:timers/promises'
import { fromJsonSchema, type McpServer } from '@modelcontextprotocol/server'
import { png, wav } from '../fixtures/media.js'
import { schemaTools } from '../fixtures/schemas.js'
import { json, type Request, text } from './say.js'

const line = text('This is a simple text response for testing.')
const image = { type: 'image' as const, data: png, mimeType: 'image/png' }
const audio = { type: 'audio' as const, data: Buffer.from(wav).toString('base64'), mimeType: 'audio/wav' }
const embedded = (uri: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType: 'text/plain', text: 'This is an embedded resource content.' },
})

export function registerPlain(server: McpServer): void {
  const answers = (name: string, description: string, result: { content: (typeof line.content | [object])[number][] }) =>
    server.registerTool(name, { description }, () => result as typeof line)
  answers('test_simple_text', 'Answers with a line of text', line)
  answers('test_image_content', 'Answers with an image', { content: [image] })
  answers('test_audio_content', 'Answers with a sound', { content: [audio] })
  answers('test_embedded_resource', 'Answers with a resource', { content: [embedded('test://embedded-resource')] })
  const mixed = [...line.content, image, embedded('test://mixed-content-resource')]
  answers('test_multiple_content_types', 'Answers with text, an image and a resource', { content: mixed })
  server.registerTool('test_error_handling', { description: 'Fails' }, () => ({
    ...text('It failed, as it should'),
    isError: true,
  }))
  registerTelling(server)
  const { json_schema_2020_12_tool: person, test_x_mcp_header: regional } = schemaTools
  const described = (name: string, { definition }: typeof person | typeof regional) =>
    server.registerTool(
      name,
      { description: 'Its schema matters', inputSchema: fromJsonSchema(json(definition.input)) },
      () => line,
    )
  described('json_schema_2020_12_tool', person)
  described('test_x_mcp_header', regional)
}

function registerTelling(server: McpServer): void {
  server.registerTool('test_tool_with_progress', { description: 'Reports progress three times' }, async ({ mcpReq }) => {
    for (const done of [0, 50, 100]) await progress(mcpReq, done)
    return text('Done')
  })
  server.registerTool('test_tool_with_logging', { description: 'Logs three messages' }, async ({ mcpReq }) => {
    for (const words of ['started', 'under way', 'completed']) {
      await mcpReq.log('info', words)
      await sleep(50)
    }
    return text('Done')
  })
  server.registerTool('test_logging_tool', { description: 'Logs a message' }, async ({ mcpReq }) => {
    await mcpReq.log('info', 'Only for those who asked')
    return text('Logged')
  })
}

async function progress({ _meta, notify }: Request, done: number): Promise<void> {
  const progressToken = _meta?.progressToken
  if (progressToken !== undefined)
    await notify({ method: 'notifications/progress', params: { progressToken, progress: done, total: 100 } })
  await sleep(50)
}
