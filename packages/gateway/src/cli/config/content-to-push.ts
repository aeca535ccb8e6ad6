import { basename } from 'node:path'
import { parseDocument, readTextFile, withLines } from '../../config/documents/read-document.js'
import {
  type ConfigContent,
  type GatewayConfig,
  ifConfigError,
  type LoadOptions,
  loadConfig,
  refuseUnsharedParts,
} from '../../config/index.js'
import { shellWord } from '../../config/trust/trust-messages.js'
import type { UntrustedPart } from '../../config/trust/untrusted-parts.js'
import { configuredRules } from '../../guard/policy/configured-rules.js'
import { usageProblem } from '../command.js'

/**
 * Reads a config and its policy; throws, with line numbers, for parts that would not work from the database, and for parts of a found config
 * that nobody has accepted.
 */
export async function contentToPush(where: LoadOptions & { readonly path: string }) {
  const { path } = where
  const text = await readTextFile(path)
  const load = (missing: 'keep' | 'refuse') => loadConfig({ ...where, text, missing })
  const config = await load('keep')
  const [waiting] = config.trust?.waiting ?? []
  if (waiting) throw usageProblem(untrustedMessage(path, waiting))
  const document = parseDocument(path, text)
  try {
    refuseUnsharedParts(document.value)
  } catch (thrown) {
    throw withLines(thrown, document, path)
  }
  const policy = await rulesOf(config)
  const lacking = await load('refuse').then(
    () => [],
    ifConfigError(({ message }) => [`Replicas need this: ${message}`]),
  )
  const content: ConfigContent = { config: { name: basename(path), text }, ...(policy && { policy }) }
  return { content, warnings: [...config.warnings, ...lacking] }
}

const untrustedMessage = (path: string, { how }: UntrustedPart): string =>
  `${path} was found, not named, and is not accepted. Review and accept it: ${how}. Or name it: toolwire config push ${shellWord(path)}`

/** Reads the policy once, so that the text that is checked is the text that is pushed. */
async function rulesOf({ policy, upstreams }: GatewayConfig): Promise<ConfigContent['policy']> {
  if (policy === undefined) return undefined
  const { name, text } = typeof policy === 'string' ? { name: policy, text: await readTextFile(policy) } : policy
  await configuredRules({ policy: { name, text }, upstreams })
  return { name: basename(name), text }
}
