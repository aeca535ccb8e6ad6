import { type FoldedText, foldText, lettersOnly } from '../../text/folded-text.js'
import { beginsWord } from '../../text/instructions/detector.js'
import type { ScanFinding } from './advice.js'

const files = [
  '~/.ssh .ssh/ id_rsa id_ed25519 id_ecdsa authorized_keys .gnupg .p12 login.keychain wallet.dat cookies.sqlite',
  '.env .netrc .npmrc .pypirc .pgpass .aws/ .azure/ .kube/ .docker/config .git-credentials .vault-token .bash_history .zsh_history',
  '/etc/passwd /etc/shadow /proc/self/environ mcp.json mcp_config desktop_config.json',
  'secrets.json secrets.yaml secrets.yml credentials.json service-account.json',
].flatMap((line) => line.split(' '))

const secretTerms = [
  'api key, access key, secret key, private key, ssh key, signing key, encryption key, master key, recovery key',
  'access token, auth token, bearer token, refresh token, session token, api token, oauth token, personal access token',
  'password, passwd, passphrase, passcode, pin code, one time code, credential, client secret, session cookie, aws secret, keychain',
  'seed phrase, recovery phrase, mnemonic phrase, environment variable, env vars',
  'credit card, card number, social security number, bank account number',
]
  .flatMap((line) => line.split(', '))
  .map((thing) => lettersOnly(foldText(thing)).text)

export const secretFileWhy = 'The text names a file that may hold secrets, which the tool may be made to read.'
const thingWhy = 'The text may be asking for a secret.'

/** Finds a file that holds secrets, or the name of a secret. */
export function findSecrets(plain: FoldedText, letters: FoldedText): ScanFinding | undefined {
  const file = fileIn(plain)
  if (file) return file
  const thing = secretTerms.map((one) => wordAt(one, plain, letters)).find((at) => at >= 0)
  return thing === undefined ? undefined : { kind: 'secret-seeking', at: plain.at[thing] ?? 0, why: thingWhy, holds: false }
}

/** Limit of examined mentions. The next one is a strong finding, because it is not examined. */
const mostFiles = 256

/** Finds a file that holds secrets. A harmless mention does not excuse the mentions after it. */
function fileIn(plain: FoldedText): ScanFinding | undefined {
  let noted: ScanFinding | undefined
  let seen = 0
  for (const file of files)
    for (let at = fileAt(plain.text, file); at >= 0; at = fileAt(plain.text, file, at + 1)) {
      const holds = ++seen > mostFiles || isOrdered(plain.text, at)
      if (holds || !noted) noted = { kind: 'secret-seeking', at: plain.at[at] ?? 0, why: secretFileWhy, holds }
      if (holds) return noted
    }
  return noted
}

const nearby = 80
const sequenceWord =
  /(?<![a-z])(?:also|first|then|always|must|before|after|afterwards|additionally|every time|whenever|silently)(?![a-z])/
const actionVerb =
  /(?<![a-z])(?:read|open|cat|load|fetch|include|send|pass|post|upload|attach|append|put|return|forward)(?![a-z])/

/** True if the file is part of a step among others. A tool made for such files says what it does, and not when. */
function isOrdered(text: string, at: number): boolean {
  const lead = text.slice(Math.max(0, at - nearby), at)
  const sentence = lead.slice(Math.max(...['. ', '! ', '? '].map((end) => lead.lastIndexOf(end))) + 1)
  return sequenceWord.test(sentence) && actionVerb.test(sentence)
}

const letter = /[\p{L}\p{N}]/u

/** Index of the file's name, where it is not part of another name, as in process.environment. */
function fileAt(text: string, file: string, from = 0): number {
  const ends = (at: number) => !letter.test(text[at + file.length] ?? '') || /[^a-z]$/.test(file)
  for (let at = text.indexOf(file, from); at >= 0; at = text.indexOf(file, at + 1)) {
    if (beginsWord(text, at) && ends(at)) return at
  }
  return -1
}

function wordAt(word: string, plain: FoldedText, letters: FoldedText): number {
  for (let at = letters.text.indexOf(word); at >= 0; at = letters.text.indexOf(word, at + 1)) {
    const here = letters.at[at] ?? 0
    if (beginsWord(plain.text, here)) return here
  }
  return -1
}
