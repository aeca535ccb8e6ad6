import { resolve } from 'node:path'
import type { CallResult } from 'toolwire/client'
import { fileErrorReason } from '../../config/documents/read-document.js'
import { jsonIn } from '../../json/json-in.js'
import { type CommandInput, exitCodes, optionText } from '../command.js'
import type { Terminal } from '../terminal/terminal.js'
import { visibleJson, visibleText, visibleTextLine } from '../terminal/visible-text.js'
import { saveFile } from './save-file.js'

type Shown = { readonly input: CommandInput; readonly terminal: Terminal; readonly clear: () => void }
type Block = CallResult['content'][number]

export async function showResult(tool: string, result: CallResult, { input, terminal, clear }: Shown): Promise<number> {
  const isError = result.isError === true
  const code = isError ? exitCodes.failed : exitCodes.ok
  clear()
  if (terminal.json) {
    const { content, structuredContent, _meta } = result
    terminal.printJson({ isError, content, structuredContent, _meta })
    return code
  }
  if (isError) terminal.say(terminal.paint.red(`${visibleTextLine(tool)} failed:`))
  const folder = resolve(input.cwd, optionText(input, 'out') ?? '.')
  let isSaved = true
  const save: SaveContent = (data, mimeType) =>
    saveFile(data, mimeType, { tool, folder }).catch((thrown: unknown) => {
      isSaved = false
      return `could not be saved: ${visibleTextLine(fileErrorReason(thrown))}`
    })
  for (const block of blocksOf(result)) terminal.print(await wordsOf(block, save))
  if (result.structuredContent !== undefined) terminal.print(visibleJson(result.structuredContent))
  return isSaved ? code : exitCodes.failed
}

/** Omits a text that repeats the structured result, as many servers send both. */
function blocksOf({ content, structuredContent }: CallResult): readonly Block[] {
  if (structuredContent === undefined) return content
  const same = JSON.stringify(structuredContent)
  return content.filter((block) => block.type !== 'text' || JSON.stringify(jsonIn(block.text)) !== same)
}

/** Returns the path of the new file, or the reason why there is none. */
type SaveContent = (data: string, mimeType: string) => Promise<string>

async function wordsOf(block: Block, save: SaveContent): Promise<string> {
  switch (block.type) {
    case 'text':
      return visibleText(block.text)
    case 'image':
    case 'audio':
      return `${block.type} (${visibleTextLine(block.mimeType)}): ${await save(block.data, block.mimeType)}`
    case 'resource_link':
      return `link: ${visibleTextLine(block.title ?? block.name)} ${visibleTextLine(block.uri)}${block.mimeType ? ` (${visibleTextLine(block.mimeType)})` : ''}`
    case 'resource':
      return resourceWords(block.resource, save)
    default:
      return visibleText(JSON.stringify(block))
  }
}

async function resourceWords(resource: Extract<Block, { type: 'resource' }>['resource'], save: SaveContent): Promise<string> {
  const head = `resource: ${visibleTextLine(resource.uri)}`
  if ('text' in resource) return `${head}\n${visibleText(resource.text)}`
  return `${head}: ${await save(resource.blob, resource.mimeType ?? '')}`
}
