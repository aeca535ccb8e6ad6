// What a list of tools says.
import type { JsonObject } from 'toolwire'
import { dialects, every, first, since, stateless, streamable, structured, until } from '../editions.js'
import { isObject } from '../json.js'
import type { Row } from '../row.js'
import type { Trial } from '../trial.js'
import { missing, notTried, unless, type Verdict } from '../verdict.js'

const page = 'server/tools'
const namePattern = /^[A-Za-z0-9_.-]{1,128}$/

export const listRows: readonly Row[] = [
  {
    id: 'list-shape',
    level: 'MUST',
    editions: every,
    page,
    sentence: 'tools/list gives a list of tools, each with a name and an input schema.',
    how: 'Lists the tools',
    run: async (trial) => {
      const pages = await trial.pages()
      if (pages.length === 0) return notTools(trial)
      if (pages.some(({ result }) => !Array.isArray(result.tools))) return missing('"tools" is no list')
      const faults = (await trial.tools()).flatMap((tool) => [
        ...(typeof tool.name === 'string' ? [] : ['A tool has no name']),
        ...('inputSchema' in tool ? [] : [`${named(tool)} has no inputSchema`]),
      ])
      return unless(faults, 'Each has both')
    },
  },
  eachTool('list-description', 'ADVICE', {
    sentence: 'A tool says what it does.',
    how: 'Looks for descriptions',
    fault: ({ description }) => (typeof description === 'string' && description.trim() !== '' ? undefined : 'has no description'),
  }),
  {
    ...eachTool('list-names', 'SHOULD', {
      sentence: 'Names have 1 to 128 letters, digits, underscores, hyphens and dots.',
      how: 'Reads the names',
      fault: ({ name }) => (namePattern.test(String(name)) ? undefined : 'is no such name'),
    }),
    editions: since(dialects),
  },
  {
    id: 'list-names-unique',
    level: 'SHOULD',
    editions: since(dialects),
    page,
    sentence: 'No two tools have the same name.',
    how: 'Compares the names',
    run: async (trial) => {
      const names = (await trial.tools()).map(({ name }) => String(name))
      const twice = names.filter((name, at) => names.indexOf(name) !== at)
      return unless(
        twice.map((name) => `${name} is there twice`),
        `${names.length} different names`,
      )
    },
  },
  foreign('list-no-annotations', 'annotations', until(first)),
  foreign('list-no-output-schema', 'outputSchema', until(streamable)),
  foreign('list-no-title', 'title', until(streamable)),
  foreign('list-no-icons', 'icons', until(structured)),
  foreign('list-no-execution', 'execution', [...until(structured), stateless]),
  {
    id: 'list-annotations',
    level: 'MUST',
    editions: since(streamable),
    page: 'schema',
    sentence: 'Annotations are an object whose hints are true or false.',
    how: 'Reads the annotations',
    run: async (trial) => {
      const faults = (await trial.tools()).filter(({ annotations }) => annotations !== undefined && !areHints(annotations))
      return unless(
        faults.map((tool) => `${named(tool)} has others`),
        'All of them are',
      )
    },
  },
]

type Look = { readonly sentence: string; readonly how: string; readonly fault: (tool: JsonObject) => string | undefined }

/** A row that looks at each tool. */
function eachTool(id: string, level: Row['level'], { sentence, how, fault }: Look): Row {
  const run = async (trial: Trial): Promise<Verdict> => {
    const faults = (await trial.tools()).flatMap((tool) => {
      const found = fault(tool)
      return found === undefined ? [] : [`${named(tool)} ${found}`]
    })
    return unless(faults, 'All of them do')
  }
  return { id, level, editions: every, page, sentence, how, run }
}

/** A field that tools of these editions do not have. */
function foreign(id: string, field: string, editions: Row['editions']): Row {
  const look = { sentence: `Tools have no "${field}" in this edition.`, how: 'Lists the tools' }
  return {
    ...eachTool(id, 'ADVICE', { ...look, fault: (tool) => (field in tool ? `has "${field}"` : undefined) }),
    editions,
    page: 'schema',
  }
}

async function notTools(trial: Trial): Promise<Verdict> {
  const { tools } = await trial.capabilities()
  return tools === undefined
    ? notTried('The server has no tools')
    : missing('tools/list gave no result, though tools are declared')
}

const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']
const areHints = (value: JsonObject[string]): boolean =>
  isObject(value) && hints.every((hint) => value[hint] === undefined || typeof value[hint] === 'boolean')

/** A tool as the report names it. */
export const named = ({ name }: JsonObject): string => JSON.stringify(name) ?? 'a tool'
