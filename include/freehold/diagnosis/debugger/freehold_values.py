R"py("

# What Freehold asks of a debugger. It calls no function of the program, so that all works in a core file.
#
# A string in C++, too, for gdb.hpp: hence the first line, the last, and no three single quotation marks in a row.
import re


class Value:
    # A variable of the program. Each debugger derives from it. An address or a word is an int; a type is what the
    # debugger has for one. What it cannot find or read, it raises LookupError for.
    #
    #   type                its type, without references and qualifiers
    #   field(name)         the member, also of a base class; has_field(name)
    #   bases()             its parts that are base classes
    #   members()           all parts
    #   number()            of what has no parts
    #   target()            of a pointer
    #   text()              of a pointer to characters
    #   address(), size()   of its place in memory
    #   object(type, address), at(name of a type, address)
    #   word(address)       the 8 bytes there, or as many as word(address, bytes) says
    #   address_bytes()     how many an address has in the program
    #   symbol(address)     the name of what the program has there, or an empty string
    #   name(type), argument(type, i), alignment(type)
    def address_at(self, address):
        return self.word(address, self.address_bytes())

    def path(self, names):
        found = self
        for each in names.split("."):
            found = found.field(each)
        return found

    def of(self, names):
        # Returns a number: that of the first part, if the member has parts, as a std::atomic has in each library.
        found = self.path(names)
        while parts := found.members():
            found = parts[0]
        return found.number()

    def base(self, template):
        # Returns the part that is a base class of that template, or None.
        for base in self.bases():
            if split(base.name(base.type))[1] == template:
                return base
            if found := base.base(template):
                return found
        return None


def split(name):
    # Returns the namespace and the template of a class: "freehold::" and "thin_ptr".
    found = re.match(r"(freehold::(?:\w+::)*)(\w+)(?:<|$)", name)
    return found.groups() if found else ("", "")


def arguments(text):
    # Returns the template arguments in the text. A comma within brackets separates none.
    parts, depth = [""], 0
    for each in text:
        depth += (each in "<(") - (each in ">)")
        if each == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += each
    return [part.strip() for part in parts]


# ")py"
