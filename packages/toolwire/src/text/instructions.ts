// Words in a result that speak to the model. Finding them is advice: a sentence can always be said in another way.
import type { PassageKind } from './search/anchor-scan.js'
import { type PassageFinder, passageFinder } from './search/passages.js'

const gap = String.raw`[\s*_"'.,:;-]{1,4}`
const begin = '(?<![A-Za-z0-9])'
const phrase = (source: string) => new RegExp(begin + source.replaceAll(' ', gap), 'iy')

const old = '(?:previous|prior|above|earlier|preceding|former|existing|original|initial|current|system|safety|all|any)'
const orders =
  '(?:instructions?|prompts?|rules|directions?|directives?|guidelines|guidance|constraints|commands?|orders|policies|training)'

/** What instructions look like; the phrases are data and may be read elsewhere. */
export const instructionKinds: readonly PassageKind[] = [
  {
    kind: 'ignore-previous',
    anchors: ['ignore ', 'disregard ', 'forget ', 'override ', 'bypass ', 'ignore\n', 'disregard\n', 'forget\n'],
    pattern: phrase(
      `(?:ignore|disregard|forget|override|bypass) (?:(?:all|any|every|each) )?(?:of )?(?:(?:the|your|my|these|those|its|their) )?(?:${old} ){1,2}(?:[a-z]{1,16} )?${orders}`,
    ),
  },
  {
    kind: 'ignore-previous',
    anchors: ['ignore everything', 'disregard everything', 'forget everything', 'ignore what', 'forget what'],
    pattern: phrase(
      '(?:ignore|disregard|forget) (?:everything|what) (?:(?:above|before|prior)(?![a-z])|(?:that )?(?:you|i|we|they) (?:have )?(?:been |were )?(?:told|said|know|read|learned))',
    ),
  },
  {
    kind: 'ignore-previous',
    anchors: ['ignoriere ', 'ignora ', 'ignore ', 'ignorez ', 'ignori ', 'olvida '],
    pattern: phrase(
      '(?:ignoriere|ignora|ignore|ignorez|ignori|olvida) (?:bitte )?(?:[a-zà-ÿ]{2,8} ){0,2}(?:vorherigen|bisherigen|vorigen|obigen|instrucciones|instruções|instructions|istruzioni|indicaciones) (?:anweisungen|instruktionen|anteriores|previas|précédentes|antérieures|precedenti)',
    ),
  },
  {
    kind: 'ignore-previous',
    anchors: ['忽略之', '忽略以', '忽略所', '忽略先', '忽略前', '忽略上', '無視して'],
    pattern:
      /忽略(?:掉)?(?:所有|全部)?(?:之前|以前|以上|先前|前面|上面|上述)的?(?:所有|全部)?(?:指令|指示|提示|说明|規則|规则)|(?<=(?:指示|命令|指令)を)無視して/y,
  },
  {
    kind: 'system-tag',
    anchors: ['<system', '</system', '<|im_', '<|system', '<|assistant', '<|user', '[inst]', '[/inst]', '<<sys>>'],
    pattern:
      /<\/?system(?:[_-]?(?:prompt|message|instructions?|reminder|override))?>|<\|(?:im_start|im_end|system|assistant|user)\|>|\[\/?inst\]|<<sys>>/iy,
  },
  {
    kind: 'hidden-tag',
    anchors: ['<important', '<instruction', '<hidden', '<critical', '<secret', '<admin', '<developer', '<!-- '],
    pattern:
      /<(?:important|instructions?|hidden|critical|secret|admin|developer)(?:[_-]?(?:instructions?|message|note|prompt|override))?>|<!-- ?(?:system|assistant|ai|llm|model|instructions?|prompt)(?: prompt| instructions?| note)?:/iy,
  },
  {
    kind: 'order',
    anchors: [
      'you must',
      'you have to',
      'you are required',
      'you shall',
      'you need to',
      'you should now',
      'you should immediately',
    ],
    pattern: phrase(
      'you (?:must|have to|are required to|shall|should(?= now| immediately)) (?:(?:now|first|always|immediately|also|next|then|instead|please) )?(?:call|invoke|execute|send|forward|upload|email|read the file|use the tool|run the)(?![a-z])',
    ),
  },
  {
    kind: 'new-role',
    anchors: [
      'you are now',
      'from now on',
      'pretend',
      'new instructions',
      'new system prompt',
      'system override',
      'developer mode',
    ],
    pattern: phrase(
      '(?:you are now (?:an?|the|in|acting|dan|jailbroken|unrestricted)|from now on you|pretend (?:to be|that you are|you are)|(?:your )?new (?:instructions|system prompt)(?=\\s?(?:are|is|:))|system override|developer mode (?:enabled|activated|on))(?![a-z])',
    ),
  },
  {
    kind: 'conceal',
    anchors: ["don't ", 'don’t ', 'do not ', 'never ', 'without '],
    pattern: phrase(
      "(?:don['’]t|do not|never|without) (?:tell|telling|inform|informing|notify|notifying|mention|mentioning|alert|alerting|ask|asking|show|showing|reveal|revealing) (?:(?:this|that|it|anything|any of this) )?(?:to )?(?:the )?(?:user|human|person|operator)(?![a-z])",
    ),
  },
  {
    kind: 'to-the-model',
    anchors: [
      ...[
        'note to the',
        'note to ai',
        'note for the',
        'note for ai',
        'message to the',
        'message to ai',
        'message for the',
        'message for ai',
      ],
      ...[
        'instructions for the',
        'instructions for ai',
        'instructions to the',
        'if you are an ai',
        'if you are a',
        'attention ai',
        'attention:',
      ],
      ...['dear ai', 'dear assistant', 'dear llm', 'attention assistant', 'attention llm'],
    ],
    pattern: phrase(
      '(?:(?:note|message|instructions) (?:to|for)|if you are|attention|dear) (?:(?:the|an?|any|all) )?(?:ai|llms?|ai assistants?|ai models?|ai agents?|assistants?|large language model|language models?|chatbot|model reading)(?![a-z])',
    ),
  },
  {
    kind: 'tell-prompt',
    anchors: ['your system prompt', 'your instructions', 'your prompt', 'your initial', 'your hidden', 'the system prompt'],
    pattern: phrase(
      '(?<=(?:reveal|print|repeat|output|show|leak|send|disclose|include|paste)(?: me| us| back)? )(?:your|the) (?:(?:full|entire|initial|hidden|system|original) ){0,2}(?:prompt|instructions)(?![a-z])',
    ),
  },
]

/** The kinds of instructions to a model that a text seems to hold. Advisory: none found is no promise that there are none. */
export const instructionKindsIn = (text: string): string[] => [
  ...new Set(
    finder()
      .find(text)
      .map(({ kind }) => kind),
  ),
]

let made: PassageFinder | undefined

function finder(): PassageFinder {
  made ??= passageFinder([{ rule: 'instructions', kinds: instructionKinds }])
  return made
}
