/**
 * A fault of the configuration in the language of the person. The box says it in English, as `pbx config check` does; a page in another language
 * knows the forms of its sentences. What has no form here is quoted.
 */
import { language, sentencesIn, words } from '../../frame/words.ts'
import { sentences } from './fault-sentences.ts'

const say = words({
  en: {
    choice: 'Write {how}.',
    choiceNear: 'Write {how}. Did you mean "{near}"?',
    duplicate: '"{value}" is given twice.',
    empty: 'The value is empty.',
    emptyFile: 'The file is empty. Write {} for an empty configuration.',
    emptyList: 'The list is empty.',
    form: '"{value}" does not have the right form.',
    invalid: '"{value}" cannot stand here.',
    invalidHow: '"{value}" cannot stand here. Write for example {how}.',
    listTwice: 'The list has a duplicate entry.',
    noForm: 'This has none of the forms that it may have here.',
    long: 'The value is longer than {limit} characters.',
    missing: '"{key}" is missing.',
    missingValue: 'A value is missing after "{key}:". Write one, or remove the key.',
    noName: 'There is nothing with the name "{value}".',
    noNameKnown: 'There is nothing with the name "{value}"; known are {known}.',
    noNameNear: 'There is nothing with the name "{value}". Did you mean "{near}"?',
    password: 'A password of fewer than {limit} characters is easy to guess. Write a longer one.',
    quoted: 'There is a fault here. The box says: {text}',
    quotes: '{value} was not read as text. Put it in quotes: "{value}"',
    secret: 'Write the secret as text, as { file: PATH } or as { credential: NAME }.',
    sections: 'The file must consist of sections such as "http:" and "trunks:".',
    tooLarge: '{value} is too large; the maximum is {limit}.',
    tooSmall: '{value} is too small; the minimum is {limit}.',
    unknownKey: 'There is no key "{key}" here.',
    unknownKeyNear: 'There is no key "{key}" here. Did you mean "{near}"?',
    unquoted: 'Write the number without quotes: {value}',
    wantsBoolean: 'This must be true or false.',
    wantsKeys: 'This must be keys and values.',
    wantsList: 'This must be a list: each entry on its own line with "- " in front, or [a, b].',
    wantsNumber: 'This must be a number.',
    wantsText: 'This must be text.',
    yaml: 'This is not valid YAML: {text}',
    yamlTwice: 'The key "{key}" is given twice.',
  },
  es: {
    choice: 'Escriba {how}.',
    choiceNear: 'Escriba {how}. ¿Quería decir "{near}"?',
    duplicate: '"{value}" está dos veces.',
    empty: 'El valor está vacío.',
    emptyFile: 'El archivo está vacío. Escriba {} para una configuración vacía.',
    emptyList: 'La lista está vacía.',
    form: '"{value}" no tiene la forma correcta.',
    invalid: '"{value}" no vale aquí.',
    invalidHow: '"{value}" no vale aquí. Escriba por ejemplo {how}.',
    listTwice: 'La lista tiene una entrada repetida.',
    noForm: 'Esto no tiene ninguna de las formas que puede tener aquí.',
    long: 'El valor tiene más de {limit} caracteres.',
    missing: 'Falta "{key}".',
    missingValue: 'Falta un valor después de "{key}:". Escriba uno o quite la clave.',
    noName: 'No hay nada con el nombre "{value}".',
    noNameKnown: 'No hay nada con el nombre "{value}"; existen {known}.',
    noNameNear: 'No hay nada con el nombre "{value}". ¿Quería decir "{near}"?',
    password: 'Una contraseña de menos de {limit} caracteres es fácil de adivinar. Escriba una más larga.',
    quoted: 'Aquí hay un fallo. El equipo dice: {text}',
    quotes: '{value} no se leyó como texto. Póngalo entre comillas: "{value}"',
    secret: 'Escriba el secreto como texto, como { file: RUTA } o como { credential: NOMBRE }.',
    sections: 'El archivo debe tener secciones como "http:" y "trunks:".',
    tooLarge: '{value} es demasiado grande; el máximo es {limit}.',
    tooSmall: '{value} es demasiado pequeño; el mínimo es {limit}.',
    unknownKey: 'Aquí no existe la clave "{key}".',
    unknownKeyNear: 'Aquí no existe la clave "{key}". ¿Quería decir "{near}"?',
    unquoted: 'Escriba el número sin comillas: {value}',
    wantsBoolean: 'Esto debe ser true o false.',
    wantsKeys: 'Esto debe ser claves y valores.',
    wantsList: 'Esto debe ser una lista: cada entrada en su línea con "- " delante, o [a, b].',
    wantsNumber: 'Esto debe ser un número.',
    wantsText: 'Esto debe ser texto.',
    yaml: 'Esto no es YAML válido: {text}',
    yamlTwice: 'La clave "{key}" está dos veces.',
  },
})

type Key = Parameters<typeof say>[0]

/** The first that fits. Names in the pattern are the values of the sentence. */
const forms: readonly (readonly [pattern: RegExp, key: Key])[] = [
  [/^this is not valid YAML: (?<key>\S+) is given twice$/, 'yamlTwice'],
  [/^this is not valid YAML: (?<text>[^]*)$/, 'yaml'],
  [/^the file is empty/, 'emptyFile'],
  [/^the file must consist of sections/, 'sections'],
  [/^there is no key "(?<key>[^"]*)" here; did you mean "(?<near>[^"]*)"/, 'unknownKeyNear'],
  [/^there is no key "(?<key>[^"]*)" here/, 'unknownKey'],
  [/^there (?:is|are) no [\w -]+ "(?<value>[^"]*)"; did you mean "(?<near>[^"]*)"/, 'noNameNear'],
  [/^there (?:is|are) no [\w -]+ "(?<value>[^"]*)"; known are (?<known>.*)$/, 'noNameKnown'],
  [/^there (?:is|are) no [\w -]+ "(?<value>[^"]*)"/, 'noName'],
  [/^"(?<key>[^"]*)" is missing/, 'missing'],
  [/^"(?<value>[^"]*)" is given twice$/, 'duplicate'],
  [/^the list has a duplicate entry/, 'listTwice'],
  [/^the list is empty/, 'emptyList'],
  [/^a value is missing after "(?<key>[^"]*):"/, 'missingValue'],
  [/ was read as (?:a number|true or false); put it in quotes: "(?<value>[^"]*)"$/, 'quotes'],
  [/^write the number without quotes: (?<value>\d+)$/, 'unquoted'],
  [/^write the secret as text/, 'secret'],
  [/^write (?:text \(|\{|.* or \{)/, 'noForm'],
  [/^(?<value>\S+) is too small; the minimum is (?<limit>[\d.-]+)/, 'tooSmall'],
  [/^(?<value>\S+) is too large; the maximum is (?<limit>[\d.-]+)/, 'tooLarge'],
  [/^the value is empty/, 'empty'],
  [/^the value is longer than (?<limit>\d+) characters/, 'long'],
  [/^"(?<value>[^"]*)" does not have the right form/, 'form'],
  [/^this must be a list/, 'wantsList'],
  [/^this must be keys and values/, 'wantsKeys'],
  [/^this must be true or false/, 'wantsBoolean'],
  [/^this must be a (?:whole )?number/, 'wantsNumber'],
  [/^this must be text/, 'wantsText'],
  [/^a password of fewer than (?<limit>\d+) characters/, 'password'],
  [/^"(?<value>[^"]*)" is not [^;]*; write (?:for example |it as |its \S+ \S+, such as |a name such as )?(?<how>[^,;]+)/, 'invalidHow'],
  [/^"(?<value>[^"]*)" is not /, 'invalid'],
  [/^write (?<how>"[^"]*"|[\w.+-]+(?:, [\w.+-]+)*(?: or [\w.+-]+)?); did you mean "(?<near>[^"]*)"/, 'choiceNear'],
  [/^write (?<how>"[^"]*"|[\w.+-]+(?:, [\w.+-]+)* or [\w.+-]+)(?: \(|$)/, 'choice'],
]

const inSpanish = sentencesIn(sentences)

/** `text`: as the box says it. */
export function configFaultText(text: string): string {
  if (language.value === 'en') return text
  const whole = inSpanish(text)
  if (whole !== undefined) return whole
  for (const [pattern, key] of forms) {
    const values = pattern.exec(text)
    if (values !== null) return say(key, { ...values.groups })
  }
  return say('quoted', { text })
}
