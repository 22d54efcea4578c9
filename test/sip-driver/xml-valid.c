/* xml-valid SCHEMA: whether the document on standard input is valid by an XML schema (libxml2). Says what is wrong; exit code 0: nothing is. */
#include <libxml/parser.h>
#include <libxml/xmlschemas.h>
#include <stdio.h>

int main(int argc, char** argv) {
  static char text[1 << 20];
  const size_t size = fread(text, 1, sizeof text, stdin);
  if (argc != 2) return 2;
  xmlSchemaParserCtxtPtr parser = xmlSchemaNewParserCtxt(argv[1]);
  xmlSchemaPtr schema = parser == NULL ? NULL : xmlSchemaParse(parser);
  if (schema == NULL) return 2;
  xmlDocPtr document = xmlReadMemory(text, (int)size, "document", NULL, XML_PARSE_NONET);
  if (document == NULL) return 1;
  xmlSchemaValidCtxtPtr valid = xmlSchemaNewValidCtxt(schema);
  return xmlSchemaValidateDoc(valid, document) == 0 ? 0 : 1;
}
