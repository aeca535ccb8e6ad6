// What texts say that want to lead a model astray, part by part: `a|b` is one of these, `[a|b]` up to a few of them or none.

const fillers = '[all|any|every|each|of|the|your|these|those|this|that|my|other|and|such|please]'
const orders = 'instruction|rule|prompt|guideline|direction|directive|message|policy|policies|restriction|order'
const earlier = 'previous|prior|above|earlier|preceding|foregoing|former|existing|original|system|safety|security|developer'
const person = 'user|person|human|anyone|anybody|operator|customer|developer'
const model = 'assistant|ai|llm|model|language model|agent|chatbot|claude|gpt|chatgpt|gemini|copilot'
const tool = 'tool|function|command|action'
const never = 'do not|dont|never|must not|mustnt|should not|shouldnt|need not|avoid|without|refrain from'
const tell =
  'tell|telling|mention|inform|reveal|notify|notifying|alert|disclose|disclosing|show|ask|warn|bother|bothering|explain|describe|describing'
const act = 'call|use|invoke|run|execute|read|open|send|include|pass|append|add|forward|copy|fetch|access|list'
const talk = 'conversation|chat history|message history|history|system prompt|contents|content'

const override = 'It may be telling the model to disregard what it has been told before.'
const secrecy = 'It may be telling the model to keep something from the user.'
const command = 'It may be telling the model what to do besides using this tool.'
const role = 'It may be giving the model another role or another set of rules.'
const address = 'It may be speaking to the model rather than describing the tool.'
const posing = 'It may be posing as a message of the system or of the user.'

/** Of letters only: how they are spaced and spelled does not matter. */
export const phrases: readonly (readonly [why: string, ...parts: string[]])[] = [
  [
    override,
    'ignore|ignoring|disregard|forget|override|bypass|discard|overrule',
    fillers,
    earlier,
    `[s|and|or|${earlier}]`,
    orders,
  ],
  [override, 'ignore|ignoring|disregard|forget|override|overrule', fillers, orders],
  [
    override,
    'ignore|disregard|forget',
    '[all|of|the]',
    'everything|anything|what',
    '[you|were|was|have|been]',
    'told|above|before',
  ],
  [override, 'instructions|rules|prompts|guidelines', '[given|you|have|above|so|far]', 'no longer apply|do not apply|are void'],
  [override, 'takes precedence|take precedence|have priority|has priority', 'over', fillers, `${earlier}|${orders}`],
  [
    override,
    'ignoriere|vergiss|missachte',
    '[alle|die|deine]',
    '[vorherigen|bisherigen|früheren|obigen]',
    'anweisung|regeln|befehle',
  ],
  [override, 'ignora|olvida|ignore', '[todas|las|tus|los|as|suas]', 'instrucciones|instrucoes|reglas|indicaciones'],
  [override, 'ignore|ignorez|oublie|oubliez', '[toutes|les|tes|vos]', 'instructions|consignes|regles'],
  [override, 'ignora|dimentica', '[tutte|le|tue]', 'istruzioni|regole'],
  [
    override,
    'игнорируй|игнорируйте|забудь|забудьте',
    '[все|всё|свои|эти]',
    '[предыдущие|прежние]',
    'инструкции|указания|правила',
  ],
  [override, '忽略|无视|忘记', '[所有|之前|先前|以上|前面|的|一切]', '指令|指示|规则|提示'],
  [override, '上記の|以前の|すべての', '[すべての]', '指示|命令', '[を]', '無視'],
  [secrecy, never, '[ever|explicitly]', tell, '[ing|this|it|that|anything|about|to|the|any|of|these|step|s|your]', person],
  [secrecy, never, '[ever]', 'mention|reveal|disclose|acknowledge|talk about', 'this|these|it|that'],
  [secrecy, 'hide|hidden|conceal|keep|secret', '[this|it|these|that|secret|hidden|a]', 'from', '[the|your]', person],
  [
    secrecy,
    person,
    '[s]',
    'must not|should not|need not|cannot|must never|should never',
    '[be]',
    'know|see|notice|learn|told|aware|informed',
  ],
  [secrecy, 'secretly|silently|covertly|quietly|discreetly', '[also|then]', act],
  [
    command,
    'before|after|prior to',
    '[you]',
    'calling|using|invoking|running|executing|call|use|invoke|run',
    'any|other|another|every',
    '[other]',
    tool,
  ],
  [command, 'always|you must|you have to|must first|must always', '[always|first|also|then]', act, 'this|these', '[other]', tool],
  [
    command,
    `always|you must|must first|must always|first`,
    '[always|first|also|then]',
    act,
    '[the|a|all|full|entire]',
    `file|secret|${talk}`,
  ],
  [command, 'instead of', '[using|calling|the]', 'any other|other|another', tool],
  [command, 'use|call|prefer', 'this', tool, 'instead|for everything'],
  [command, 'otherwise', '[the|this]', tool, 'will not|wont|will fail|does not|doesnt'],
  [
    command,
    'send|forward|copy|post|upload|bcc|leak|exfiltrate',
    '[a|the|all|copy|of|every|full|entire|its|their|your]',
    talk,
    '[of]',
  ],
  [
    command,
    'pass|put|include|insert|provide|place|encode|append',
    '[the|its|their|all|full|entire|file]',
    talk,
    '[of|file|history|text|and]',
    'as|into',
  ],
  [role, 'you are now|you are no longer|pretend to be|pretend you are|act as if you|you will act as|from now on you'],
  [role, 'new|real|actual|true|hidden|secret|updated|revised', '[and|your|the|system]', 'instructions|system prompt|directives'],
  [role, 'developer mode|jailbreak|do anything now|system override|admin override|god mode'],
  [
    address,
    'dear|attention|note to|note for|message to|message for|instructions for|instructions to',
    '[the|all|any|every]',
    model,
  ],
  [address, 'the|any|every', '[helpful|ai|language|coding]', model, 'must|should|shall|has to|needs to|is required to'],
  [address, 'if you are', '[a|an|the|large|helpful]', model],
]

/** Of signs as well: tags and headings with which prompts are made. */
export const marks: readonly string[] = [
  ...[
    '<important',
    '<system',
    '</system',
    '<instruction',
    '<secret',
    '<admin',
    '<user>',
    '<assistant',
    '<|im_',
    '<|system',
    '<<sys>>',
  ],
  ...[
    '[system]',
    '[inst]',
    '[/inst]',
    '[admin]',
    '[important]',
    '### instruction',
    '### system',
    '</tool',
    '</function',
    '<tool_',
  ],
]

export const markWhy = posing
