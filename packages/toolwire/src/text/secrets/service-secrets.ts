import type { PassageKind } from '../search/anchor-scan.js'
import { isNotExample, isRandom, isRandomHex, isSnowflake } from './checks.js'
import { wholeTokenPattern } from './value-secrets.js'

const twilio = [...'0123456789abcdef'].map((digit) => `SK${digit}`).join(' ')
// Beginnings of a number's digits in base64: the token of a bot begins with the bot's number.
const snowflakes = ['MT', 'Mj', 'Mz', 'ND', 'NT', 'Nj', 'Nz', 'OD', 'OT']
  .flatMap((two) => [...'AEIMQUYcgk'].map((next) => two + next))
  .join(' ')

/** Anchors and pattern of each kind. A sticky pattern checks its own surroundings. */
const rows: readonly (readonly [kind: string, anchors: string, pattern: RegExp, check?: PassageKind['check']])[] = [
  ['aws-access-key-id', 'AKIA ASIA ABIA ACCA', /A(?:KI|SI|BI|CC)A[A-Z2-7]{16}/, isNotExample],
  ['github-token', 'ghp_ gho_ ghu_ ghs_ ghr_', /gh[pousr]_[A-Za-z0-9]{36,255}/, isNotExample],
  ['github-fine-grained-token', 'github_pat_', /github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}/, isNotExample],
  ['gitlab-token', 'glpat- gldt- glrt- glptt-', /gl(?:pat|dt|rt|ptt)-[A-Za-z0-9_-]{20,300}(?:\.[A-Za-z0-9_.-]{1,64})?/, isRandom],
  [
    'slack-token',
    'xoxa- xoxb- xoxe- xoxp- xoxr- xoxs- xoxe.xox',
    /xox(?:[abeprs]|e\.xox[bp])-[0-9][A-Za-z0-9-]{20,250}/,
    isRandom,
  ],
  ['slack-app-token', 'xapp-', /xapp-\d-A[A-Z0-9]{8,12}-\d{10,15}-[a-f0-9]{64}/],
  [
    'slack-webhook',
    'hooks.slack.com/',
    /hooks\.slack\.com\/(?:services|workflows|triggers)\/[TE][A-Z0-9]{6,12}\/[A-Z0-9]{6,20}\/[A-Za-z0-9]{20,36}/,
    isNotExample,
  ],
  ['stripe-key', 'sk_live_ rk_live_', /[sr]k_live_[A-Za-z0-9]{16,247}/, isNotExample],
  ['google-api-key', 'AIza', /AIza[A-Za-z0-9_-]{35}/, isNotExample],
  ['google-oauth-secret', 'GOCSPX-', /GOCSPX-[A-Za-z0-9_-]{28}/, isNotExample],
  ['anthropic-key', 'sk-ant-', /sk-ant-(?:api|admin|oat|ort|sid)\d\d-[A-Za-z0-9_-]{24,140}/, isRandom],
  ['openai-key', 'sk-', /sk-(?:[A-Za-z0-9]{32,64}|(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{32,200})/, isRandom],
  ['npm-token', 'npm_', /npm_[A-Za-z0-9]{36}/, isNotExample],
  ['pypi-token', 'pypi-AgE', /pypi-AgE[A-Za-z0-9_-]{50,1000}/, isNotExample],
  ['docker-token', 'dckr_pat_ dckr_oat_', /dckr_[po]at_[A-Za-z0-9_-]{27,36}/, isNotExample],
  ['sendgrid-key', 'SG.', /SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}/, isNotExample],
  ['twilio-key', twilio, /SK[0-9a-f]{32}/, isRandomHex],
  ['mailgun-key', 'key-', /key-[0-9a-f]{32}/, isRandomHex],
  ['discord-bot-token', snowflakes, /[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}/, isSnowflake],
  [
    'discord-webhook',
    'webhooks/',
    /(?<=discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?)webhooks\/\d{17,20}\/[A-Za-z0-9_-]{60,80}(?![A-Za-z0-9_-])/y,
    isNotExample,
  ],
  ['telegram-bot-token', ':AA', /(?<=(?<![0-9])[0-9]{8,10}):AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/y, isNotExample],
  ['huggingface-token', 'hf_', /hf_[A-Za-z0-9]{34}/, isNotExample],
  ['digitalocean-token', 'dop_v1_ doo_v1_ dor_v1_', /do[por]_v1_[a-f0-9]{64}/, isRandomHex],
  ['shopify-token', 'shpat_ shpca_ shppa_ shpss_', /shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/, isRandomHex],
  ['vault-token', 'hvs. hvb. hvr.', /hv[sbr]\.[A-Za-z0-9_-]{24,300}/, isRandom],
]

export const serviceSecrets: readonly PassageKind[] = rows.map(([kind, anchors, pattern, check]) => ({
  kind,
  anchors: anchors.split(' '),
  pattern: pattern.sticky ? pattern : wholeTokenPattern(pattern),
  check,
}))
