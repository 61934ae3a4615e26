// A calculator with a stack.
//
// fault 1, bounds, input 1 9 1 9 1 9 1 9: a number is pushed on a full stack
// fault 2, bounds, input 1 9 2: two numbers are taken where one is
// fault 3, div0, input 1 0 1 0 4: a division by what is on top
// fault 4, overflow, input 1 50000 1 50000 3: a product is not looked at
// fault 5, uninit, input 5: the top of an empty stack is shown
// fault 6, overflow, input 1 -2147483648 1 -1 4: the least number by minus one
extern int __VERIFIER_nondet_int(void);

#define DEPTH 3

int main(void)
{
    int stack[DEPTH];
    int top = 0, shown = 0;
    for (int step = 0; step < 5; step++) {
        int command = __VERIFIER_nondet_int();
        if (command == 1) {
            if (top >= DEPTH) //@1 if (top > DEPTH)
                return 1;
            stack[top++] = __VERIFIER_nondet_int(); //!1
        } else if (command >= 2 && command <= 4) {
            if (top < 2) //@2 if (top < 1)
                return 2;
            int b = stack[--top], a = stack[--top]; //!2
            long long result = a;
            if (command == 2)
                result += b;
            else if (command == 3)
                result *= b; //@4 result = a * b; //!4
            else if (b != 0) //@3 else if (b != 1)
                result /= b; //!3 //@6 result = a / b; //!6
            if (result > 2147483647 || result < -2147483647 - 1)
                result = 0;
            stack[top++] = (int)result;
        } else if (top > 0) { //@5 } else if (command == 5) {
            if (stack[top > 0 ? top - 1 : 0] > 9) //!5
                shown++;
        }
    }
    return shown;
}
