import type { PassageKind } from '../search/anchor-scan.js'
import { entropy, isJwt, isPassword, looksAssigned } from './checks.js'

/** Names of assigned secrets in results. They are fewer than the sensitive names, because no page, count or cursor may have one of them. */
const secretWords =
  'passw(?:or)?d|passphrase|secret|api[_-]?key|access[_-]?key|(?:access|auth|refresh|bot)[_-]?token|(?:encryption|private)[_-]?key'

const ending = new RegExp(`(?:${secretWords})(?:[_-]?(?:key|token|value))?$`, 'i')

/** True for a name such as password, under which a result shows no value that looks like a secret. */
export const isAssignedName = (name: string): boolean => name.length <= 64 && ending.test(name)

// PEM keys span several lines, or one line with escaped line ends. A text may be cut before the end of a key.
const pemBody = String.raw`(?:[A-Za-z0-9+/=:,.\s\\]|-(?!-)){40,32768}(?:-----END [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----)?`
const pemBegin = `-----BEGIN (?:[A-Z0-9]{1,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----`

const databases =
  'postgres|postgresql|mysql|mariadb|mongodb|redis|rediss|valkey|amqp|amqps|mssql|sqlserver|clickhouse|cockroachdb'
const others = 'https?|wss?|ftps?|sftp|ssh|git|ldaps?|smtps?|imaps?|socks5h?|nats|mqtts?|svn'
const credentials = String.raw`:\/\/[^\s:/@"'<>\[\]]{0,128}:([^\s:/@"'<>\[\]{}$]{1,256})(?=@)`
const address = (schemes: string) =>
  new RegExp(String.raw`(?<=(?<![a-z0-9])(?:${schemes})(?:\+[a-z0-9]{1,16})?)${credentials}`, 'iy')

const assign = String.raw`[\\"']{0,4}[ \t]{0,4}(?:=>|:=|[:=>])[ \t]{0,4}[\\"']{0,4}`
const value = '([^\\s"\'`,;&<>()\\[\\]{}\\\\|]{8,128})'

const assignedNames = [
  'password passwd passphrase secret api_key apikey api-key access_key accesskey access_token accesstoken auth_token authtoken',
  'refresh_token bot_token encryption_key private_key',
].flatMap((line) => line.split(' '))

/** Secrets recognized by the text around them or by their form. */
export const valueSecrets: readonly PassageKind[] = [
  {
    kind: 'gcp-service-account-key',
    anchors: ['private_key'],
    pattern: new RegExp(String.raw`private_key[\\"']{1,4}\s{0,4}:\s{0,4}[\\"']{1,4}(${pemBegin}${pemBody})`, 'y'),
  },
  { kind: 'private-key', anchors: ['-----BEGIN '], pattern: new RegExp(pemBegin + pemBody, 'y') },
  {
    kind: 'jwt',
    anchors: [...'hjrltc04iq6Jg'].map((next) => `eyJ${next}`),
    pattern: wholeTokenPattern(/eyJ[A-Za-z0-9_-]{8,2048}\.[A-Za-z0-9_-]{2,16384}\.[A-Za-z0-9_-]{16,2048}/),
    check: isJwt,
  },
  {
    kind: 'azure-storage-key',
    anchors: ['AccountKey='],
    pattern: /AccountKey=([A-Za-z0-9+/]{86}==)/y,
    check: (found) => entropy(found) >= 3.5,
  },
  { kind: 'database-password', anchors: ['://'], pattern: address(databases), check: isPassword },
  { kind: 'url-password', anchors: ['://'], pattern: address(others), check: isPassword },
  {
    kind: 'aws-secret-key',
    anchors: ['secret_access_key', 'secretaccesskey', 'secret-access-key', 'secret access key', 'aws_secret_key'],
    pattern: new RegExp(`(?:secret[_ -]?access|aws_secret)[_ -]?key${assign}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])`, 'iy'),
    check: (found) => entropy(found) >= 3.5 && !/^[a-f0-9]+$|example/i.test(found),
  },
  {
    kind: 'assigned-secret',
    anchors: assignedNames,
    pattern: new RegExp(`(?:${secretWords})(?:[_-](?:key|token|value))?${assign}${value}`, 'iy'),
    check: looksAssigned,
  },
]

/** True for a secret under a name such as password, where name and value are not in one text. */
export const isNamedSecret = (name: string, text: string): boolean =>
  isAssignedName(name) && text.length <= 256 && !/\s/.test(text) && looksAssigned(text)

/** A pattern that matches only alone: without a letter or digit before it, except that of an escaped line end, and without one after it. */
export function wholeTokenPattern({ source, flags }: RegExp): RegExp {
  return new RegExp(String.raw`(?<![A-Za-z0-9_-](?<!\\[nrt]))(?:${source})(?![A-Za-z0-9_-])`, `${flags}y`)
}
