// Sentences that speak to a model, as parts separated by commas. `a|b` is one of these words, and `[a|b]` several or none. `!a|b`
// matches if none of these words follows, `=a|b` if one does. A definition should only describe its tool, so definitions are searched for
// more phrases, in any spelling. A result may be any prose, so only phrases that are hardly ever harmless are searched for.
import type { PassageKind } from '../search/anchor-scan.js'

const fillers = '[all|any|every|each|of|the|your|these|those|this|that|my|other|and|such|please]'
const orders = 'instruction|rule|prompt|guideline|direction|directive|message|policy|policies|restriction|order'
const toModels = 'instruction|prompt|guideline|directive'
const before = 'previous|prior|above|earlier|preceding|foregoing|former'
const earlier = `${before}|existing|original|system|safety|security|developer`
const person = 'user|person|human|anyone|anybody|operator|customer|developer'
const model = 'assistant|ai|llm|model|language model|agent|chatbot|claude|gpt|chatgpt|gemini|copilot'
const tool = 'tool|function|command|action'
const never = 'do not|dont|never|must not|mustnt|should not|shouldnt|need not|avoid|without|refrain from'
const tell =
  'tell|telling|mention|mentioning|inform|informing|reveal|revealing|notify|notifying|alert|alerting|disclose|disclosing'
const show = 'show|showing|ask|asking|warn|warning|bother|bothering|explain|explaining|describe|describing'
const tellFillers = '[ing|this|it|that|anything|about|to|the|any|of|these|step|instruction|s|your]'
const act = 'call|use|invoke|run|execute|read|open|send|include|pass|append|add|forward|copy|fetch|access|list'
const talk = 'conversation|chat history|message history|history|system prompt|contents|content'
const whole = 'full|entire|whole|complete|all'
const chat = 'conversation|chat history|message history|chat log|system prompt'
// A sentence about the instructions in returned text is a warning against them, and not an instruction.
const within =
  '!s within|s in the|s in any|s in this|s found|s contained|s embedded|s inside|s returned|s that|s you find|s you encounter'

const override = 'The text may be telling the model to disregard what it has been told before.'
const secrecy = 'The text may be telling the model to keep something from the user.'
const command = 'The text may be telling the model what to do besides using this tool.'
const role = 'The text may be giving the model another role or another set of rules.'
const address = 'The text may be speaking to the model rather than describing the tool.'
export const promptMarkWhy = 'The text may be posing as a message of the system or of the user.'

/** Phrases by the reason or the kind that a finding names. */
export type Phrases = { readonly [about: string]: readonly string[] }

const everywhere = [
  'игнорируй|игнорируйте|забудь|забудьте, [все|всё|свои|эти], предыдущие|прежние, [все|свои], инструкции|указания|правила',
  '忽略|无视|忘记, [所有|的|一切|掉|全部], 之前|先前|以上|以前|前面|上面|上述, [所有|的|一切|全部], 指令|指示|规则|提示|说明',
  '上記の|以前の|すべての, [すべての], 指示|命令|指令, [を], 無視',
]

/** Phrases that few honest definitions contain. One is enough to hold a definition back. */
const strongPhrases: Phrases = {
  [override]: [
    ...everywhere,
    `ignore|ignoring|disregard|disregarding|forget|bypass|override|overrule, ${fillers}, ${before}, [s|and|or|${earlier}], ` +
      `${toModels}|rule|direction|restriction|order, ${within}`,
    `ignore|ignoring|disregard|disregarding|forget|bypass, ${fillers}, system|safety|developer|original, ` +
      `[s|and|or|system|safety|developer], ${toModels}, ${within}`,
    `ignore|disregard|forget, [any|of], all|your|my, [of|the|your|these|those|my|other], ${toModels}, ${within}`,
    'ignore all rules|disregard all rules|forget all rules|forget your rules|ignore your rules',
    'ignore|disregard|forget, [all|of|the], everything|anything|what, [that|you|were|was|have|been|i], told',
    'ignore|disregard|forget, [all|of|the], everything, above',
    `${toModels}, [s|given|you|have|above|so|far], no longer apply|are void`,
    `takes precedence|take precedence|have priority|has priority|takes priority|take priority, over, ${fillers}, ` +
      `[${earlier}|user|developer], ${toModels}`,
    `supersede|superseding|supersedes, [s|all|any|the|your], ${before}, ${toModels}`,
    'ignore|disregard|forget, [what|the], user, [s], instruction|request|wishes|says|asks|wants',
    'override|replace|overwrite, your, [current|original], system prompt|system instruction',
    'ignoriere|vergiss|missachte, [alle|die|deine], [vorherigen|bisherigen|früheren|obigen], anweisung|befehle',
    'ignoriere|vergiss|missachte, [alle|die|deine], vorherigen|bisherigen|früheren|obigen, regeln',
    'ignora|olvida|ignore, [todas|las|tus|los|as|suas], instrucciones|instrucoes|indicaciones',
    'ignore|ignorez|oublie|oubliez, toutes|les|tes|vos, [les|tes|vos], instructions|consignes',
    'ignora|dimentica, [tutte|le|tue], istruzioni',
    'игнорируй|игнорируйте|забудь|забудьте, [все|всё|свои|эти], [предыдущие|прежние], инструкции|указания',
  ],
  [secrecy]: [
    `${never}, [ever|explicitly], ${tell}, ${tellFillers}, ${person}`,
    `hide|conceal|keep, this|it|these|that, [secret|hidden|a], from, [the|your], ${person}`,
    `${person}, [s], must not|should not|need not|must never|should never, [be], know|notice|learn|told|aware|informed`,
    `secretly|covertly, [also|then], ${act}`,
    'silently|quietly|discreetly, [also|then], send|forward|upload|bcc|copy|post|read',
  ],
  [command]: [
    `send|forward|post|upload|bcc|leak|exfiltrate|transmit, [a|the|copy|of|your|this], ${whole}, ` +
      `[of|the|this|your|current|chat|user|s], ${chat}`,
    'include|pass|append|add|put|insert|provide|attach, [the|a|your|this], full|entire|whole|complete, ' +
      `[of|the|this|your|current|user|s], ${chat}`,
    'send|forward|post|upload|leak|exfiltrate|transmit|reveal|print|repeat|output|include|pass|copy, your, ' +
      `[${whole}|initial|hidden|original], system prompt|system instruction`,
    'send|forward|post|upload|leak|exfiltrate|transmit|bcc, all|every, [of|the|other|your], ' +
      'secrets|credentials|emails to|messages to',
    'include|pass|append|add|put|insert|send|copy, [all|any|the|of|your|users|user|s|other|their], ' +
      'password|passwords|api key|api keys|secret|secrets|credential|credentials|token|tokens|private key, ' +
      '[s|and|or|password|passwords|api key|api keys|secret|secrets|credential|credentials|token|tokens|keys], [that], ' +
      'you know|you have|you have seen|you can find|you find|from the conversation|from this conversation|in the conversation|' +
      'from your context|in your context|from memory',
  ],
  [role]: [
    'you are now, [a|an|the], in charge|unrestricted|free of|free from|jailbroken|dan|root|admin',
    'your, new|real|actual|true, [and|system], instructions are|instructions follow|prompt is',
    'do anything now|system override|god mode enabled|developer mode enabled|jailbreak mode',
  ],
}

/** Weaker phrases. They hold a definition back only beside a mention of a file that holds secrets. */
const weakPhrases: Phrases = {
  [override]: [
    `ignore|ignoring|disregard|forget|override|bypass|discard|overrule, ${fillers}, ${earlier}, [s|and|or|${earlier}], ${orders}`,
    `ignore|ignoring|disregard|forget|override|overrule, ${fillers}, ${orders}`,
    'ignore|disregard|forget, [all|of|the], everything|anything|what, [you|were|was|have|been], above|before',
    'instructions|rules|prompts|guidelines, [given|you|have|above|so|far], do not apply',
    `takes precedence|take precedence|have priority|has priority, over, ${fillers}, ${earlier}|${orders}`,
    'ignora|olvida|ignore, [todas|las|tus|los|as|suas], reglas|regole',
    'ignore|ignorez|oublie|oubliez, [toutes|les|tes|vos], regles',
    '忽略|无视|忘记, [所有|的|一切], 指令|指示|规则',
  ],
  [secrecy]: [
    `${never}, [ever|explicitly], ${show}, ${tellFillers}, ${person}`,
    `${never}, [ever], mention|reveal|disclose|acknowledge|talk about, this|these|it|that`,
    `hide|hidden|conceal|keep|secret, [this|it|these|that|secret|hidden|a], from, [the|your], ${person}`,
    `${person}, [s], must not|should not|cannot|must never|should never, [be], know|see|notice|learn`,
    `silently|quietly|discreetly, [also|then], ${act}`,
  ],
  [command]: [
    'before|after|prior to, [you], calling|using|invoking|running|executing|call|use|invoke|run, any|other|another|every, ' +
      `[other], ${tool}`,
    `always|you must|you have to|must first|must always, [always|first|also|then], ${act}, this|these, [other], ${tool}`,
    `always|you must|must first|must always|first, [always|first|also|then], ${act}, [the|a|all|full|entire], ` +
      `file|secret|${talk}`,
    `instead of, [using|calling|the], any other|other|another, ${tool}`,
    `use|call|prefer, this, ${tool}, instead|for everything`,
    `otherwise, [the|this], ${tool}, will not|wont|will fail|does not|doesnt`,
    `send|forward|copy|post|upload|bcc|leak|exfiltrate, [a|the|all|copy|of|every|full|entire|its|their|your], ${talk}`,
    `pass|put|include|insert|provide|place|encode|append, [the|its|their|all|full|entire|file], ${talk}, ` +
      '[of|file|history|text|and], as|into',
  ],
  [role]: [
    'you are now|you are no longer|pretend to be|pretend you are|act as if you|you will act as|from now on you',
    'new|real|actual|true|hidden|secret|updated|revised, [and|your|the|system], instructions|system prompt|directives',
    'developer mode|jailbreak|admin override|god mode',
  ],
  [address]: [
    `dear|attention|note to|note for|message to|message for|instructions for|instructions to, [the|all|any|every], ${model}`,
    `the|any|every, [helpful|ai|language|coding], ${model}, must|should|shall|has to|needs to|is required to`,
    `if you are, [a|an|the|large|helpful], ${model}`,
  ],
}

/** Also the tags and headings that prompts are made of. Honest placeholders and headings do not have these names. */
export const strongSigns = {
  phrases: strongPhrases,
  marks: [
    ...['</system', '<system-', '<system_prompt', '<system_message', '<system prompt', '<|im_', '<|system', '<<sys>>'],
    ...['[inst]', '[/inst]', '</function_', '</tool_description', '</tool_result'],
  ],
}

export const weakSigns = {
  phrases: weakPhrases,
  marks: [
    ...['<important', '<system', '<instruction', '<secret', '<admin', '<user>', '<assistant'],
    ...['[system]', '[admin]', '[important]', '### instruction', '### system', '</tool', '</function', '<tool_'],
  ],
}

const verbs = 'ignore|disregard|forget|override|bypass'
const old = 'previous|prior|above|earlier|preceding|former|existing|original|initial|current|system|safety|all|any'
const called = 'call|invoke|execute|send|forward|upload|email|read the file|use the tool|run the'

export const resultPhrases: Phrases = {
  'ignore-previous': [
    ...everywhere,
    `${verbs}, [all|any|every|each|of|the|your|my|these|those|its|their], ${old}, ` +
      `[${old}|secret|hidden|developer|given|user|chat], ` +
      'instruction|instructions|prompt|prompts|rules|direction|directions|directive|directives|guidelines|guidance|constraints|' +
      'command|commands|orders|policies|training',
    'ignore|disregard|forget, everything|what, above|before|prior',
    'ignore|disregard|forget, everything|what, [that], you|i|we|they, [have|been|were], told|said|know|read|learned',
    'ignoriere|vergiss|missachte, [bitte|alle|die|deine], vorherigen|bisherigen|vorigen|obigen|früheren, ' +
      'anweisungen|instruktionen|befehle|regeln',
    'ignora|olvida|ignore, [todas|las|tus|los|as|suas], instrucciones|instruções|indicaciones, anteriores|previas|prévias',
    'ignore|ignorez|oublie|oubliez, [toutes|les|tes|vos], instructions|consignes, précédentes|antérieures',
    'ignora|ignori|dimentica, [tutte|le|tue], istruzioni, precedenti',
    '指示|命令|指令, を, 無視して',
  ],
  order: [
    `you must|you have to|you are required to|you shall, [now|first|always|immediately|also|next|then|instead|please], ${called}`,
    `you should, now|immediately, ${called}`,
  ],
  'new-role': [
    'you are now, a|an|the|in|acting|dan|jailbroken|unrestricted',
    'from now on, you',
    'system override',
    'pretend, to be|that you are|you are',
    'new, instructions|system prompt, =are|is|:',
    'developer mode, enabled|activated|on',
  ],
  conceal: [
    "don't|don’t|do not|never|without, " +
      'tell|telling|inform|informing|notify|notifying|mention|mentioning|alert|alerting|ask|asking|show|showing|' +
      'reveal|revealing, ' +
      '[this|that|it|anything|any of this|to|the], user|human|person|operator',
  ],
  'to-the-model': [
    'note to|note for|message to|message for|instructions to|instructions for|if you are|attention|dear, [the|a|an|any|all], ' +
      'ai|llm|llms|ai assistant|ai assistants|ai model|ai models|ai agent|ai agents|assistant|assistants|' +
      'large language model|language model|language models|chatbot|model reading',
  ],
  'tell-prompt': [
    'reveal|print|repeat|output|show|leak|send|disclose|include|paste, [me|us|back], your|the, ' +
      '[full|entire|initial|hidden|system|original], prompt|instructions',
  ],
}

/** Whole tags, because a result may be markup with other tags that begin in the same way. */
export const resultTags: readonly PassageKind[] = [
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
]
