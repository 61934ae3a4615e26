// Arrays whose size is known at run time.
//
// fault 1, bounds, input -1: a negative size
// fault 2, bounds, input 0: no size at all
// fault 3, pointer, input 3 3: the index may be the size
// fault 4, uninit, input 3 2: the last element is not written
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int size = __VERIFIER_nondet_int();
    if (size < 1 || size > 6) //@1 if (size == 0 || size > 6) //@2 if (size < 0 || size > 6)
        size = 1;
    int values[size]; //!1 //!2
    for (int i = 0; i < size; i++) //@4 for (int i = 0; i < size - 1; i++)
        values[i] = i;
    int index = __VERIFIER_nondet_int();
    if (index < 0 || index >= size) //@3 if (index < 0 || index > size)
        return 0;
    if (values[index] == 4) //!3 //!4
        return 1;
    return 0;
}
