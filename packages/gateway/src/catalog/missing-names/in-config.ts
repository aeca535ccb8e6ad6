// Names in the settings of a server, and in sets.

import { effectiveHints } from 'toolwire/guard'
import { didYouMean } from '../../config/did-you-mean.js'
import type { ToolOverride, UpstreamConfig } from '../../config/gateway-config.js'
import { matchesAny } from '../../config/globs.js'
import { argumentsOf, type KnownTools, type ListedServer } from './known-tools.js'
import { hasWildcard, type MissingName, missingName, noSuchTool, quoted } from './missing-name.js'

export function missingInServer({ config, tools }: ListedServer): readonly MissingName[] {
  if (!tools) return []
  return [
    ...Object.entries(config.tools).flatMap(([name, said]) => missingInOverride(name, said, { config, tools })),
    ...missingInOnly({ config, tools }),
  ]
}

type Listed = { readonly [K in keyof ListedServer]: NonNullable<ListedServer[K]> }

function missingInOverride(name: string, said: ToolOverride, { config, tools }: Listed): readonly MissingName[] {
  if (said.optional || Object.keys(said).length === 0) return []
  const where = `toolwire.servers.${config.id}.tools.${name}`
  const tool = tools.find((one) => one.name === name)
  if (!tool) {
    const words = `there is no tool ${quoted(name)} on the server ${config.id}${didYouMean(name, namesOf(tools))}`
    return [
      missingName({ where, words, holds: restricts(said, config) ? [config.id] : [], unless: 'its entry says "optional": true' }),
    ]
  }
  return Object.keys(said.arguments ?? {}).flatMap((argument) => {
    const names = argumentsOf(tool.inputSchema)
    if (!names || names.has(argument)) return []
    const words = `the tool ${quoted(name)} of the server ${config.id} has no argument ${quoted(argument)}${didYouMean(argument, [...names])}`
    return [missingName({ where: `${where}.arguments`, words, holds: [config.id], unless: 'its entry says "optional": true' })]
  })
}

/** Whether less can be done, or by fewer, because of it. */
const restricts = ({ hidden, arguments: pinned, hints = {} }: ToolOverride, { trusted }: UpstreamConfig): boolean =>
  hidden === true ||
  pinned !== undefined ||
  hints.destructive === worst.destructive ||
  hints.readOnly === worst.readOnly ||
  // Of an untrusted server these are the worst already.
  (trusted && (hints.idempotent === worst.idempotent || hints.openWorld === worst.openWorld))

const worst = effectiveHints()

function missingInOnly({ config: { id, only = [], optional = [] }, tools }: Listed): readonly MissingName[] {
  return only.flatMap((name) => {
    if (optional.includes(name) || tools.some((tool) => matchesAny([name], tool.name))) return []
    const words = `${noSuchTool(name)} on the server ${id}${didYouMean(name, namesOf(tools))}`
    const unless = `it is written as { "tool": ${quoted(name)}, "optional": true }`
    return [missingName({ where: `toolwire.servers.${id}.only`, words, holds: [id], unless })]
  })
}

export function missingInSet(set: string, names: readonly string[], known: KnownTools): readonly MissingName[] {
  return names.flatMap((name) => {
    const isThere = known.tools.some(({ tool }) => matchesAny([name], tool))
    if (isThere || known.mayCome(name)) return []
    const words = `${noSuchTool(name)}${didYouMean(name, known.shownNames)}`
    return [missingName({ where: `toolwire.sets.${set}`, words, holds: [], isPrecaution: hasWildcard(name) })]
  })
}

const namesOf = (tools: readonly { readonly name: string }[]): readonly string[] => tools.map(({ name }) => name)
