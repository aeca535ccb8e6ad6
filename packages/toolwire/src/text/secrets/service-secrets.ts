import type { PassageKind } from '../search/anchor-scan.js'
import { isNotExample, isRandom, isRandomHex, isSnowflake } from './checks.js'
import { standAlone } from './stand-alone.js'

const hexDigits = [...'0123456789abcdef']
// How base64 begins of a number in digits: the token of a bot begins with the bot's number.
const snowflakes = ['MT', 'Mj', 'Mz', 'ND', 'NT', 'Nj', 'Nz', 'OD', 'OT'].flatMap((two) =>
  [...'AEIMQUYcgk'].map((next) => two + next),
)

/** Keys and tokens that services hand out, by how they begin. */
export const serviceSecrets: readonly PassageKind[] = [
  {
    kind: 'aws-access-key-id',
    anchors: ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
    pattern: standAlone(/A(?:KI|SI|BI|CC)A[A-Z2-7]{16}/),
    check: isNotExample,
  },
  {
    kind: 'github-token',
    anchors: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    pattern: standAlone(/gh[pousr]_[A-Za-z0-9]{36,255}/),
    check: isNotExample,
  },
  {
    kind: 'github-fine-grained-token',
    anchors: ['github_pat_'],
    pattern: standAlone(/github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}/),
    check: isNotExample,
  },
  {
    kind: 'gitlab-token',
    anchors: ['glpat-', 'gldt-', 'glrt-', 'glptt-'],
    pattern: standAlone(/gl(?:pat|dt|rt|ptt)-[A-Za-z0-9_-]{20,300}(?:\.[A-Za-z0-9_.-]{1,64})?/),
    check: isRandom,
  },
  {
    kind: 'slack-token',
    anchors: ['xoxa-', 'xoxb-', 'xoxe-', 'xoxp-', 'xoxr-', 'xoxs-', 'xoxe.xox'],
    pattern: standAlone(/xox(?:[abeprs]|e\.xox[bp])-[0-9][A-Za-z0-9-]{20,250}/),
    check: isRandom,
  },
  {
    kind: 'slack-app-token',
    anchors: ['xapp-'],
    pattern: standAlone(/xapp-\d-A[A-Z0-9]{8,12}-\d{10,15}-[a-f0-9]{64}/),
  },
  {
    kind: 'slack-webhook',
    anchors: ['hooks.slack.com/'],
    pattern: standAlone(
      /hooks\.slack\.com\/(?:services|workflows|triggers)\/[TE][A-Z0-9]{6,12}\/[A-Z0-9]{6,20}\/[A-Za-z0-9]{20,36}/,
    ),
    check: isNotExample,
  },
  {
    kind: 'stripe-key',
    anchors: ['sk_live_', 'rk_live_'],
    pattern: standAlone(/[sr]k_live_[A-Za-z0-9]{16,247}/),
    check: isNotExample,
  },
  { kind: 'google-api-key', anchors: ['AIza'], pattern: standAlone(/AIza[A-Za-z0-9_-]{35}/), check: isNotExample },
  { kind: 'google-oauth-secret', anchors: ['GOCSPX-'], pattern: standAlone(/GOCSPX-[A-Za-z0-9_-]{28}/), check: isNotExample },
  {
    kind: 'anthropic-key',
    anchors: ['sk-ant-'],
    pattern: standAlone(/sk-ant-(?:api|admin|oat|ort|sid)\d\d-[A-Za-z0-9_-]{24,140}/),
    check: isRandom,
  },
  {
    kind: 'openai-key',
    anchors: ['sk-'],
    pattern: standAlone(/sk-(?:[A-Za-z0-9]{32,64}|(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{32,200})/),
    check: isRandom,
  },
  { kind: 'npm-token', anchors: ['npm_'], pattern: standAlone(/npm_[A-Za-z0-9]{36}/), check: isNotExample },
  { kind: 'pypi-token', anchors: ['pypi-AgE'], pattern: standAlone(/pypi-AgE[A-Za-z0-9_-]{50,1000}/), check: isNotExample },
  {
    kind: 'docker-token',
    anchors: ['dckr_pat_', 'dckr_oat_'],
    pattern: standAlone(/dckr_[po]at_[A-Za-z0-9_-]{27,36}/),
    check: isNotExample,
  },
  {
    kind: 'sendgrid-key',
    anchors: ['SG.'],
    pattern: standAlone(/SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}/),
    check: isNotExample,
  },
  {
    kind: 'twilio-key',
    anchors: hexDigits.map((digit) => `SK${digit}`),
    pattern: standAlone(/SK[0-9a-f]{32}/),
    check: isRandomHex,
  },
  { kind: 'mailgun-key', anchors: ['key-'], pattern: standAlone(/key-[0-9a-f]{32}/), check: isRandomHex },
  {
    kind: 'discord-bot-token',
    anchors: snowflakes,
    pattern: standAlone(/[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}/),
    check: isSnowflake,
  },
  {
    kind: 'discord-webhook',
    anchors: ['webhooks/'],
    pattern: /(?<=discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?)webhooks\/\d{17,20}\/[A-Za-z0-9_-]{60,80}(?![A-Za-z0-9_-])/y,
    check: isNotExample,
  },
  {
    kind: 'telegram-bot-token',
    anchors: [':AA'],
    pattern: /(?<=(?<![0-9])[0-9]{8,10}):AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/y,
    check: isNotExample,
  },
  { kind: 'huggingface-token', anchors: ['hf_'], pattern: standAlone(/hf_[A-Za-z0-9]{34}/), check: isNotExample },
  {
    kind: 'digitalocean-token',
    anchors: ['dop_v1_', 'doo_v1_', 'dor_v1_'],
    pattern: standAlone(/do[por]_v1_[a-f0-9]{64}/),
    check: isRandomHex,
  },
  {
    kind: 'shopify-token',
    anchors: ['shpat_', 'shpca_', 'shppa_', 'shpss_'],
    pattern: standAlone(/shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/),
    check: isRandomHex,
  },
  {
    kind: 'vault-token',
    anchors: ['hvs.', 'hvb.', 'hvr.'],
    pattern: standAlone(/hv[sbr]\.[A-Za-z0-9_-]{24,300}/),
    check: isRandom,
  },
]
