/** The sender's name in the header line, in the letters that its font has. */
import t from 'tap'
import { headerLetters } from '../../daemon/fax/fax.ts'

t.test('names of every language in letters of code page 437', async (t) => {
  for (const [name, letters] of [
    ['Clínica Peña & Søn', 'Clínica Peña & Son'],
    ['Ärzte am Straßenrand', 'Ärzte am Straßenrand'],
    ['Żółta Łódź', 'Zólta Lódz'],
    ['Göğüs Kliniği İstanbul', 'Gögüs Klinigi Istanbul'],
    ['Phòng khám Đa khoa Việt', 'Phòng khám Da khoa Viet'],
    ['Šiauliai, Říčany, Đakovo', 'Siauliai, Rícany, Dakovo'],
    ['Ιατρείο Αθήνα', 'Iatreio Athina'],
    ['Клиника Щукино', 'Klinika Shchukino'],
    ['Поліклініка Київ', 'Poliklinika Kiiv'],
    ['Cabinet d’Œuvre – №1', "Cabinet d'Oeuvre - No1"],
    ['Cafe\u0301', 'Café'],
    ['診療所', '???'],
  ] as const) {
    t.equal(headerLetters(name), letters)
  }
})
