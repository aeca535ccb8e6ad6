// Finds unknown names in rules.
import type { JsonObject } from 'toolwire'
import { ruleParts } from 'toolwire/relay'
import type { Rulebook } from 'toolwire/rules'
import { didYouMean, misspelledName } from '../../config/did-you-mean.js'
import { isObject } from '../../json/is-object.js'
import { type KnownTools, serversNamed } from './known-tools.js'
import { hasWildcard, type MissingName, type MissingNameParts, missingName, noSuchTool, quoted } from './missing-name.js'

/** Unknown servers in rules that are almost certainly misspellings: the place in the rules, and a message. */
export function misspelledServers({ set }: Rulebook, ids: readonly string[]): readonly { at: string; message: string }[] {
  const inEach = (place: string, entries: readonly Pick<ruleParts.Rule, 'when' | 'optional'>[] = []) =>
    entries.flatMap(({ when, optional }, index) =>
      namesIn(when?.server).flatMap((name) => {
        if (optional || hasWildcard(name) || ids.includes(name) || misspelledName(name, ids) === undefined) return []
        return [{ at: `${place}/${index}/when/server`, message: `there is no server ${quoted(name)}${didYouMean(name, ids)}` }]
      }),
    )
  return [...inEach('/rules', set.rules), ...inEach('/labels', set.labels)]
}

/** Would calls run that this rule should have stopped, if it matches nothing? */
export function loosensCalls(rules: Rulebook | undefined, at: number): boolean {
  const { rules: all = [], default: fallback } = rules?.set ?? {}
  const decision = all[at]?.decision
  if (decision !== 'ask') return decision === 'deny'
  return fallback === 'allow' || all.slice(at + 1).some((later) => later.decision === 'allow')
}

/** Rules that never decide, because a rule without conditions is before them. One message names them all. */
export function unreachedRules({ set }: Rulebook): readonly MissingName[] {
  const at = set.rules.findIndex(({ when = {} }) => Object.keys(when).length === 0)
  const later = at === -1 ? [] : set.rules.slice(at + 1).map(({ name }) => quoted(name))
  if (later.length === 0) return []
  const before = quoted(set.rules[at]?.name ?? '')
  const shown = later.slice(0, mostShown).join(', ')
  const more = later.length > mostShown ? ` and ${later.length - mostShown} more` : ''
  const [where, they, decide, it] =
    later.length === 1 ? ['the rule', 'it', 'decides', 'it'] : ['the rules', 'they', 'decide', 'them']
  const words = `${they} never ${decide}, because ${before} is before ${it} and matches every call; move ${it} before ${before}, or remove ${it}`
  return [missingName({ where: `${where} ${shown}${more}`, words, holds: [] })]
}

const mostShown = 5

/** A label that matches nothing lets calls run that rules about the label should stop, so it counts as a deny rule. */
export const missingInLabel = ({ name, when }: ruleParts.ResultLabel, known: KnownTools): readonly MissingName[] =>
  missingInRule({ rule: { name, when, decision: 'deny' }, restricting: true, kind: 'label' }, known)

type Written = { readonly rule: ruleParts.Rule; readonly restricting: boolean; readonly kind?: string }

export function missingInRule({ rule, restricting, kind = 'rule' }: Written, known: KnownTools): readonly MissingName[] {
  const { when = {} } = rule
  const unless = `the ${kind} says "optional: true"`
  const about: RuleContext = { rule, restricting, where: `the ${kind} ${quoted(rule.name)}`, unless }
  const servers = missingServers([...namesIn(when.server), ...namesIn(partOfCall(when, 'server'))], about, known)
  if (servers.length > 0) return servers
  const entries = namesIn(when.tool).map((name) => ({ name, server: when.server }))
  const inCall = namesIn(partOfCall(when, 'tool')).map((name) => ({ name, server: undefined }))
  const tools = [...entries, ...inCall].flatMap((entry) => missingTool(entry, about, known))
  return tools.length > 0 ? tools : missingArguments(about, known)
}

/** A name in the list for all tools may be a precaution against tools to come, unless it resembles the name of an argument. */
export const missingInRedact = (redact: readonly string[], known: KnownTools): readonly MissingName[] =>
  missingArguments(
    {
      rule: { name: '', decision: 'allow', redact },
      restricting: false,
      where: '"redact" of the rules',
      unless: '',
      isForAll: true,
    },
    known,
  )

type RuleContext = {
  readonly rule: ruleParts.Rule
  readonly restricting: boolean
  readonly where: string
  readonly unless: string
  /** The names are for all tools, and not for those of a rule. */
  readonly isForAll?: boolean
}
type Entry = { readonly name: string; readonly server: ruleParts.RuleCondition['server'] }

function missingServers(
  names: readonly string[],
  { restricting, ...rest }: RuleContext,
  known: KnownTools,
): readonly MissingName[] {
  const isKnown = (name: string) => known.ids.includes(name) || (hasWildcard(name) && known.upstreamsMatching(name).length > 0)
  return names
    .filter((name) => !isKnown(name))
    .map((name) => {
      const meant = restricting ? misspelledName(name, known.ids) : undefined
      const words = `there is no server ${quoted(name)}${didYouMean(name, known.ids)}`
      return missingName({ ...rest, words, holds: meant === undefined ? [] : [meant], isPrecaution: hasWildcard(name) })
    })
}

function missingTool({ name, server }: Entry, about: RuleContext, known: KnownTools): readonly MissingName[] {
  const when = { tool: name, ...(server !== undefined && { server }) }
  if (known.has(name, server) || known.tools.some(ruleParts.mayNameTool(when, about.rule.decision))) return []
  if (server === undefined) return missingForCallers(name, about, known)
  const meant = known.upstreamsMatching(server)
  if (meant.length === 0 || meant.some(({ tools }) => !tools)) return []
  const ids = meant.map(({ config }) => config.id)
  const near = known.nearestTo(name, ids)
  const isNamed = namesIn(server).some((one) => !hasWildcard(one))
  const servers = isNamed ? ids : near?.isSure ? serversNamed([near.tool]) : []
  return [missingName({ ...partsFor(name, servers, about), words: `${noSuchTool(name)} on ${serverWords(ids)}${hintOf(near)}` })]
}

/** Without a server, a rule refers to the name that callers see. */
function missingForCallers(name: string, about: RuleContext, known: KnownTools): readonly MissingName[] {
  if (known.mayAppear(name)) return []
  const named = known.upstreamsByPrefix(name).map(({ config }) => config.id)
  // The author may have left out the server, and meant the server's own name of the tool.
  const own = known.tools.filter(ruleParts.mayNameTool({ server: '*', tool: name }, 'deny'))
  const near = known.nearestTo(name, named.length > 0 ? named : known.ids)
  const likely = own.length > 0 ? serversNamed(own) : near?.isSure ? serversNamed([near.tool]) : []
  const hint = own[0] ? ownNameHint(own[0]) : hintOf(near)
  return [missingName({ ...partsFor(name, named.length > 0 ? named : likely, about), words: `${noSuchTool(name)}${hint}` })]
}

function partsFor(
  name: string,
  servers: readonly string[],
  { restricting, where, unless }: RuleContext,
): Omit<MissingNameParts, 'words'> {
  const holds = restricting ? servers : []
  return { where, unless, holds, isPrecaution: hasWildcard(name) && holds.length === 0 }
}

const hintOf = (near: { readonly name: string } | undefined): string => (near ? `; did you mean ${quoted(near.name)}?` : '')

const serverWords = (ids: readonly string[]): string => `${ids.length === 1 ? 'the server' : 'the servers'} ${ids.join(', ')}`

const ownNameHint = ({ tool, server = '' }: ruleParts.NamedTool): string =>
  `; did you mean ${quoted(tool)}, or this name beside "server: ${server}"?`

function missingArguments(
  { rule, restricting, isForAll = false, ...rest }: RuleContext,
  known: KnownTools,
): readonly MissingName[] {
  const { server, tool, arguments: named = {} } = rule.when ?? {}
  const redacted = (rule.redact ?? []).flatMap(argumentIn)
  const names = new Set([...Object.keys(named), ...redacted])
  if (names.size === 0) return []
  const when = { ...(server !== undefined && { server }), ...(tool !== undefined && { tool }) }
  const tools = known.tools.filter(ruleParts.mayNameTool(when, rule.decision))
  const mayCome = tool === undefined ? known.hasUnlistedServer() : namesIn(tool).some((name) => known.mayAppear(name))
  const isOpen = tools.length === 0 || (server === undefined ? mayCome : known.hasUnlistedServer(known.upstreamsMatching(server)))
  const schemas = isOpen ? [] : tools.map((one) => known.argumentsOf(one))
  const none = isForAll ? 'no tool has an' : 'none of its tools has an'
  const which = tools.length === 1 ? `the tool ${quoted(tools[0]?.tool ?? '')} has no` : none
  const isAboutSome = server !== undefined || tool !== undefined
  return [...names].flatMap((argument) => {
    if (isOpen || !schemas.every((all) => all && !all.has(argument))) return []
    const others = [...new Set(schemas.flatMap((all) => [...(all ?? [])]))]
    const holds = restricting && isAboutSome && Object.hasOwn(named, argument) ? serversNamed(tools) : []
    const isPrecaution = isForAll && misspelledName(argument, others) === undefined
    const words = `${which} argument ${quoted(argument)}${didYouMean(argument, others)}`
    return [missingName({ ...rest, words, holds, isPrecaution })]
  })
}

/** The argument at the start of a redacted path. */
function argumentIn(path: string): readonly string[] {
  const [first = ''] = path.startsWith('/') ? path.slice(1).split('/') : [path]
  return first === '*' ? [] : [path.startsWith('/') ? first.replaceAll('~1', '/').replaceAll('~0', '~') : first]
}

function namesIn(condition: ruleParts.RuleCondition['tool'] | unknown): readonly string[] {
  if (typeof condition === 'string') return [condition]
  if (Array.isArray(condition)) return condition.filter((name) => typeof name === 'string')
  if (!isObject(condition as JsonObject)) return []
  const { const: only, enum: some } = condition as JsonObject
  return [only, ...(Array.isArray(some) ? some : [])].filter((name) => typeof name === 'string')
}

function partOfCall({ call }: ruleParts.RuleCondition, member: string): unknown {
  const properties = isObject(call) ? call.properties : undefined
  return isObject(properties) ? properties[member] : undefined
}
