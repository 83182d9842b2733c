import java.util.ArrayList;
import java.util.List;

/** interpreter, translated directly. */
final class Interpreter implements Workload.Program {
    static final Workload WORKLOAD =
            Workload.of("interpreter", new Workload.Series("evaluations", Extents.INTERPRETER, new Interpreter()));

    private static final String TEXT =
            "(letrec fib (lambda (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))"
            + "(letrec upto (lambda (n) (if (= n 0) nil (cons n (upto (- n 1)))))"
            + "(letrec map (lambda (f l) (if (null l) nil (cons (f (first l)) (map f (rest l)))))"
            + "(letrec fold (lambda (f start l) (if (null l) start (f (first l) (fold f start (rest l)))))"
            + "(letrec counter (lambda (n) (letrec count (lambda (i) (if (= i 0) n (count (- i 1)))) count))"
            + "(+ (fib 12) (fold (lambda (x y) (+ x y)) 0 (map (lambda (x) ((counter x) 5)) (upto 50)))))))))";

    private static final List<String> OPERATIONS = List.of("+", "-", "<", "=", "cons", "first", "rest", "null");

    private enum Form { CONSTANT, VARIABLE, CHOICE, LAMBDA, LETREC, CALL, ARGUMENT }

    private enum Kind { NUMBER, PAIR, NIL, CLOSURE, PRIMITIVE }

    /** What a, b and c are to each form, the program in C++ says. */
    private record Code(Form is, long value, Code a, Code b, Code c) {}

    private record Value(Kind is, long value, Value first, Value rest, Code body, Frame scope) {
        Value(Kind is, long value) {
            this(is, value, null, null, null, null);
        }
    }

    private static final class Frame {
        final long name;
        Value value;
        final Frame outer;

        Frame(long name, Value value, Frame outer) {
            this.name = name;
            this.value = value;
            this.outer = outer;
        }
    }

    private List<String> names;
    private Value nil;
    private int at;

    @Override
    public long run(int times) {
        names = new ArrayList<>();
        nil = new Value(Kind.NIL, 0);
        at = 0;
        Code program = read();
        Frame globals = new Frame(intern("nil"), nil, null);
        for (String each : OPERATIONS) {
            globals = new Frame(intern(each), new Value(Kind.PRIMITIVE, OPERATIONS.indexOf(each)), globals);
        }
        long sum = 0;
        for (; times > 0; --times) {
            sum += evaluate(program, globals).value;
        }
        return sum;
    }

    private long intern(String name) {
        if (!names.contains(name)) {
            names.add(name);
        }
        return names.indexOf(name);
    }

    private Code read() {
        String word = nextWord();
        if (!word.equals("(")) {
            return Character.isDigit(word.charAt(0))
                    ? new Code(Form.CONSTANT, Long.parseLong(word), null, null, null)
                    : new Code(Form.VARIABLE, intern(word), null, null, null);
        }
        int before = at;
        Code read;
        switch (nextWord()) {
            case "if" -> read = new Code(Form.CHOICE, 0, read(), read(), read());
            case "lambda" -> {
                nextWord();
                Code parameters = readNames();
                read = new Code(Form.LAMBDA, 0, read(), parameters, null);
            }
            case "letrec" -> read = new Code(Form.LETREC, intern(nextWord()), read(), null, read());
            default -> {
                at = before;
                return new Code(Form.CALL, 0, read(), readArguments(), null);
            }
        }
        nextWord();
        return read;
    }

    private Code readNames() {
        String word = nextWord();
        return word.equals(")") ? null : new Code(Form.ARGUMENT, intern(word), null, readNames(), null);
    }

    private Code readArguments() {
        int before = at;
        if (nextWord().equals(")")) {
            return null;
        }
        at = before;
        return new Code(Form.ARGUMENT, 0, read(), readArguments(), null);
    }

    private String nextWord() {
        while (TEXT.charAt(at) == ' ') {
            ++at;
        }
        int start = at++;
        while (TEXT.charAt(start) != '(' && TEXT.charAt(start) != ')' && " ()".indexOf(TEXT.charAt(at)) < 0) {
            ++at;
        }
        return TEXT.substring(start, at);
    }

    private Value evaluate(Code code, Frame env) {
        switch (code.is) {
            case CONSTANT:
                return number(code.value);
            case VARIABLE:
                return find(code.value, env);
            case CHOICE:
                return evaluate(isTrue(evaluate(code.a, env)) ? code.b : code.c, env);
            case LAMBDA:
                return new Value(Kind.CLOSURE, 0, null, null, code, env);
            case LETREC:
                Frame inner = new Frame(code.value, null, env);
                inner.value = evaluate(code.a, inner);
                return evaluate(code.c, inner);
            default:
                return call(code, env);
        }
    }

    private Value call(Code code, Frame env) {
        Value function = evaluate(code.a, env);
        Code argument = code.b;
        if (function.is == Kind.PRIMITIVE) {
            Value one = evaluate(argument.a, env);
            return apply((int) function.value, one, argument.b == null ? nil : evaluate(argument.b.a, env));
        }
        Frame inner = function.scope;
        for (Code name = function.body.b; name != null; name = name.b) {
            inner = new Frame(name.value, evaluate(argument.a, env), inner);
            argument = argument.b;
        }
        return evaluate(function.body.a, inner);
    }

    private static Value apply(int operation, Value one, Value two) {
        return switch (operation) {
            case 0 -> number(one.value + two.value);
            case 1 -> number(one.value - two.value);
            case 2 -> number(one.value < two.value ? 1 : 0);
            case 3 -> number(one.value == two.value ? 1 : 0);
            case 4 -> new Value(Kind.PAIR, 0, one, two, null, null);
            case 5 -> one.first;
            case 6 -> one.rest;
            default -> number(one.is == Kind.NIL ? 1 : 0);
        };
    }

    private static Value number(long value) {
        return new Value(Kind.NUMBER, value);
    }

    private static Value find(long name, Frame at) {
        while (at.name != name) {
            at = at.outer;
        }
        return at.value;
    }

    private static boolean isTrue(Value tested) {
        return tested.is != Kind.NUMBER || tested.value != 0;
    }
}
